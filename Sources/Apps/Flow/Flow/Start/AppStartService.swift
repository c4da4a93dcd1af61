public import Concurrency
internal import Foundation
internal import Services

/// Begins a use of the app, and ends it: once for each beginning.
@MainActor
public final class AppStartService {
    /// What is called at the end of a flow, with all that was collected.
    public typealias Completion = @MainActor (CompletionResult, DataModel) -> Void

    /// How long the welcome is shown at least.
    public static let welcome: Duration = .seconds(2)
    /// How long the public address is waited for.
    static let addressLimit: Duration = .seconds(2)
    /// What the service knows this kind of program by.
    static let channel = "linux"

    private let session: SessionManager
    private let api: any FlowAPI
    private let device: any DeviceInformation
    private let identity: DeviceIdentity
    /// Of the present use.
    private var starts: (run: Int, flight: SingleFlight<Result<SessionResponse, any Error>>)?
    private var shown: (host: any FlowHost, completion: Completion)?
    private let welcoming = OwnedTasks()
    /// Until when the welcome is shown at least.
    private var welcomeEnd = ContinuousClock.now
    private let failed = CurrentValue<String?>(nil)

    /// Why the session did not begin, in words; `nil` while nothing has failed, or after that was read.
    public nonisolated let failure: Published<String?>

    /// Makes the screens of a flow.
    var makeScreens: @MainActor () -> FlowScreens? = { nil }

    /// Creates the service; nothing is sent.
    init(
        _ session: SessionManager,
        _ api: any FlowAPI,
        device: any DeviceInformation,
        preferences: any PreferenceStore
    ) {
        failure = failed.published
        self.session = session
        self.api = api
        self.device = device
        identity = DeviceIdentity(in: preferences)
    }

    // MARK: The flow

    /// Shows a new flow in a host; one that is shown already is cancelled first.
    ///
    /// - Parameters:
    ///   - host: Shows the screens.
    ///   - onComplete: Called once, when the flow is completed or cancelled, after the host has dismissed it.
    public func startServices(from host: any FlowHost, onComplete: @escaping Completion) {
        guard let screens = makeScreens() else { return }
        cancel()
        failed.set(nil)
        session.reset()
        shown = (host, onComplete)
        // The welcome has its time, and the session takes what it takes.
        let (run, end) = (session.run, ContinuousClock.now + Self.welcome)
        welcomeEnd = end
        host.show(screens)
        welcoming.replace(with: [Task { [weak self] in await self?.welcome(run, until: end) }])
    }

    /// Tries again to begin the session of the flow that is shown.
    func retry() {
        let (run, end) = (session.run, welcomeEnd)
        guard shown != nil, session.navigationState == .splash else { return }
        welcoming.replace(with: [Task { [weak self] in await self?.welcome(run, until: end) }])
    }

    /// The failure has been read.
    func dismissFailure() { failed.set(nil) }

    private func welcome(_ run: Int, until end: ContinuousClock.Instant) async {
        failed.set(nil)
        do {
            try await startSession()
            try await Task.sleep(until: end)
            // Where the flow has moved on, or is another one, the welcome is over already.
            try session.update(in: run) {
                if $0.navigationState == .splash { $0.navigationState = .feature1 }
            }
        } catch {
            guard run == session.run, !Task.isCancelled else { return }
            failed.set(error.localizedDescription)
        }
    }

    /// The person has done all of it: the flow counts as completed, and is taken away.
    ///
    /// Does nothing where no flow is shown, or its steps are not all done.
    func finish() {
        guard let ended = shown, session.currentStep == .completion,
            session.navigationState == .feature3
        else { return }
        try? session.update(in: session.run) { $0.userInfo.completionFlags.isCompleted = true }
        end(ended, with: .completed)
    }

    /// Ends the flow before its end; does nothing where none is shown.
    public func cancel() {
        if let ended = shown { end(ended, with: .cancelled) }
    }

    private func end(_ ended: (host: any FlowHost, completion: Completion), with result: CompletionResult) {
        shown = nil
        welcoming.cancelAll()
        let data = session.userInfo
        // What is under way belongs to a use that is over; what was collected stays until the next one.
        session.close()
        ended.host.dismiss()
        ended.completion(result, data)
    }

    // MARK: The session

    /// Begins the session of this use at the service, unless it has begun; all that ask at the same time share one request.
    ///
    /// - Throws: ``ResponseErrorHandler``, ``FlowUnavailable``, `PreferenceStoreError`, `CancellationError`; the session stays without a number,
    ///   and can be begun again.
    @discardableResult
    public func startSession() async throws -> SessionResponse {
        if let sessionID = session.sessionID { return SessionResponse(sessionId: sessionID) }
        let run = session.run
        let flight: SingleFlight<Result<SessionResponse, any Error>>
        if let starts, starts.run == run {
            flight = starts.flight
        } else {
            flight = SingleFlight()
            starts = (run, flight)
        }
        guard let outcome = await flight.run({ await self.begin(run) }) else { throw CancellationError() }
        return try outcome.get()
    }

    private func begin(_ run: Int) async -> Result<SessionResponse, any Error> {
        do {
            let (id, address) = (try identity.id(), await publicAddress())
            // The use may have ended while the address was waited for: it needs no session any more.
            guard run == session.run, session.snapshot.isOpen else { throw Superseded() }
            let request = DeviceRequest(
                deviceId: id.uuidString,
                ipAddress: address,
                deviceName: device.modelName(),
                channel: Self.channel
            )
            let response = try await api.createDevice(request)
            try session.update(in: run) { $0.sessionID = response.sessionId }
            return .success(response)
        } catch is Superseded {
            return .failure(CancellationError())
        } catch {
            return .failure(error)
        }
    }

    private func publicAddress() async -> String {
        let device = device
        return await withDeadline(Self.addressLimit) { await device.publicAddress() }.flatMap { $0 } ?? ""
    }
}
