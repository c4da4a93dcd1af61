import Foundation
import Lens
import LensScreens
public import ScenarioKit
import Services
public import SessionRecording

/// A run of the program `lens` that was recorded, and runs again on its recording.
public struct RecordedLens: RecordedProgram {
    /// The name under which runs stand in recordings.
    public static let name = LensRun.name

    /// What its screens have in every run, that of a scenario too.
    public static let properties = [shownOnce]
    static let shownOnce = ScreenProperty(of: "chat", "no message is there twice") {
        (state: ChatScreen.State) in state.messages.map(\.id).hasNoDuplicates
    }

    private let run: LensRun
    private let addresses: LensAddresses
    private let seed: UInt64

    /// The most that calls, each with its limit, may take after the last thing that was recorded.
    public var patience: Duration { .seconds(3600) }

    /// Reads how it was run.
    ///
    /// - Throws: `ReplayError`, `SessionError`.
    public init(_ session: SessionReader) throws {
        var recorded = session.manifest.parameters
        var addresses = LensAddresses(takingFrom: &recorded)
        run = try session.configured(LensRun.self, by: recorded)
        if !run.hasModelKey { addresses.geminiKey = nil }
        if !run.hasStoreKey { addresses.store.key = nil }
        self.addresses = addresses
        seed = session.manifest.seed
    }

    /// Runs it again.
    public func run(on session: ReplayedSession) async throws {
        let maker = run.input == nil ? LensPhone.camera(run.options, seed: seed) : nil
        let phone = try run.phone(
            addresses,
            transport: session.transport,
            camera: try session.camera(maker: maker),
            folder: session.folder,
            speech: try session.speech()
        )
        _ = try await Self.use(
            phone,
            by: RecordedActions(of: session),
            log: session.screenLog,
            clock: session.clock
        )
    }

    /// How often the app's camera is looked at for the preview.
    private static let previewInterval = Duration.milliseconds(100)

    /// One use of the app by one page, the same when it is recorded and when it is replayed.
    ///
    /// - Parameters:
    ///   - phone: The app, which is not launched.
    ///   - users: What is done on the screens.
    ///   - log: Where states and actions of the screens go.
    ///   - clock: Time since the session's start.
    ///   - launched: Called with what the app found at its launch.
    ///   - preview: Called with each picture of the preview.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    @MainActor
    static func use(
        _ phone: LensPhone,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock,
        launched: @Sendable (LaunchReport) -> Void = { _ in },
        preview: @escaping @Sendable (VideoFrame) -> Void = { _ in }
    ) async throws -> Int64 {
        launched(await phone.app.launch())
        let screens = phone.app.makeScreens()
        screens.appear()
        let observed = ObservedScreens(screens.encoded, log: log)
        let looking = Task(name: "preview") {
            while !Task.isCancelled {
                if let frame = await phone.app.camera.latestFrame() { preview(frame) }
                try? await Task.sleep(for: previewInterval)
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await observed.follow(users)) } catch { result = .failure(error) }
        let end = clock.nanoseconds
        looking.cancel()
        observed.stop()
        screens.disappear()
        await phone.shutdown()
        try result.get()
        return end
    }
}
