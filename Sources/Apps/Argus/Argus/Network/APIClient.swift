public import ServiceClient
public import Services
public import Transport

/// The calls that a paired app makes.
///
/// The app's own is ``APIClient``; a test can put another one in its place.
///
/// All throw ``APIError``, and `CancellationError` where the calling task was cancelled.
public protocol HubAPI: Sendable {
    /// A page of events, the newest first; pages count from 1.
    func fetchEvents(page: Int) async throws -> EventsResponse
    /// One event.
    func fetchEventDetail(id: String) async throws -> Event
    /// All cameras.
    func fetchCameras() async throws -> [Camera]
    /// The picture of an event, as the hub has it: mostly a JPEG file.
    func fetchThumbnail(of event: Event) async throws -> [UInt8]
    /// Has the hub send notifications to a device token, in place of an earlier one of this device.
    func registerPushToken(_ token: String) async throws
}

/// The one way to the hub.
///
/// Each call carries a token, which ``AuthService`` renews once however many calls wait for it; one that is refused with 401 is sent a
/// second time with another token, and not a third time. Other refusals are returned at once. A call that did not reach the hub is sent again
/// where that is safe, and goes then where ``DiscoveryService`` has the hub by then.
public struct APIClient: HubAPI {
    /// How many events are asked for at once.
    public static let pageSize: Int = 20

    private let http: any HTTPClient
    /// What is asked elsewhere says nothing of the hub.
    private let elsewhere: any HTTPClient
    private let tokens: BearerTokens
    private let discovery: DiscoveryService
    private let calls: any HubCalls
    private let device: @Sendable () throws(SecretStoreError) -> HubDevice

    /// Makes a way to the hub; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - tokens: What calls carry.
    ///   - discovery: Knows where the hub is.
    ///   - dialect: Which calls the hub has.
    ///   - device: This device.
    public init(
        _ http: any HTTPClient,
        tokens: BearerTokens,
        discovery: DiscoveryService,
        dialect: HubDialect = .seed,
        device: @escaping @Sendable () throws(SecretStoreError) -> HubDevice
    ) {
        self.http = WatchedHTTP(http, discovery)
        elsewhere = http
        self.tokens = tokens
        self.discovery = discovery
        calls = dialect.calls
        self.device = device
    }

    /// A page of ``pageSize`` events.
    public func fetchEvents(page: Int) async throws -> EventsResponse {
        try await ask(calls.events(page: page, size: Self.pageSize))
    }

    /// One event.
    public func fetchEventDetail(id: String) async throws -> Event { try await ask(calls.event(id)) }

    /// All cameras.
    public func fetchCameras() async throws -> [Camera] { try await ask(calls.cameras()) }

    /// The picture of an event; ``APIError/notFound`` for an event without one.
    ///
    /// The token goes to the hub alone: another server is asked without it.
    public func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        await discovery.settle()
        guard let place = calls.thumbnail(of: event, at: discovery.addresses) else {
            throw APIError.notFound
        }
        do throws(ServiceFailure) { return try await answer(from: place).body } catch {
            throw error.asAppError
        }
    }

    private func answer(from place: ThumbnailPlace) async throws(ServiceFailure) -> WholeAnswer {
        var policy = CallPolicy.hub
        policy.answerBytes = ThumbnailPlace.pictureBytes
        switch place {
        case .atHub(let path): return try await client(policy).answer(to: Self.picture(path))
        case .elsewhere(let address, let path):
            return try await ServiceClient(elsewhere, policy: policy) { address }
                .answer(to: Self.picture(path))
        }
    }

    private static func picture(_ path: String) -> Call {
        var call = Call.get(path)
        call.set("Accept", "image/jpeg")
        call.repeats = .unlessRefused
        return call
    }

    /// Registers a device token.
    ///
    /// - Throws: `SecretStoreError` where this device has no name that it can keep; else as all calls.
    public func registerPushToken(_ token: String) async throws {
        await discovery.settle()
        let device = try device()
        do throws(ServiceFailure) {
            var call = try calls.registration(token, of: device)
            // The hub keeps one token of a device: sent twice it is the same.
            call.repeats = .unlessRefused
            _ = try await client().answer(to: call)
        } catch { throw error.asAppError }
    }

    /// A client for one call, whose token goes to no other hub than that of its beginning.
    private func client(_ policy: CallPolicy = .hub) -> ServiceClient {
        let (discovery, hub) = (discovery, discovery.paired)
        return ServiceClient(http, policy: policy, tokens: tokens) { discovery.address(of: hub) }
    }

    private func ask<Answer>(_ question: HubQuestion<Answer>) async throws -> Answer {
        await discovery.settle()
        var question = question
        question.call.repeats = .unlessRefused
        do throws(ServiceFailure) { return try await question.ask(client()) } catch { throw error.asAppError }
    }
}
