internal import Foundation
public import ServiceClient
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
    /// What stands before all paths of the app's API.
    static let root = "/api/v1/mobile"

    private let http: any HTTPClient
    /// What is asked elsewhere says nothing of the hub.
    private let elsewhere: any HTTPClient
    private let tokens: BearerTokens
    private let discovery: DiscoveryService
    private let platform: String

    /// Makes a way to the hub; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - tokens: What calls carry.
    ///   - discovery: Knows where the hub is.
    ///   - platform: What this device is for the hub.
    public init(
        _ http: any HTTPClient,
        tokens: BearerTokens,
        discovery: DiscoveryService,
        platform: String = "ios"
    ) {
        self.http = WatchedHTTP(http, discovery)
        elsewhere = http
        self.tokens = tokens
        self.discovery = discovery
        self.platform = platform
    }

    /// `GET …/events?page=…&page_size=20`.
    public func fetchEvents(page: Int) async throws -> EventsResponse {
        let query = [(name: "page", value: "\(page)"), (name: "page_size", value: "\(Self.pageSize)")]
        return try await send(.get("\(Self.root)/events", query: query))
    }

    /// `GET …/events/{id}`.
    public func fetchEventDetail(id: String) async throws -> Event {
        try await send(.get("\(Self.root)/events/\(Self.escaped(id))"))
    }

    /// `GET …/cameras`.
    public func fetchCameras() async throws -> [Camera] {
        try await send(.get("\(Self.root)/cameras"), as: CamerasResponse.self).cameras
    }

    /// The picture of an event where the event says that it is, else `GET …/events/{id}/thumbnail`.
    ///
    /// The token goes to the hub alone: another server is asked without it, and by `https` only.
    public func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        await discovery.settle()
        let place: ThumbnailPlace
        if let written = event.thumbnailURL {
            guard let found = ThumbnailPlace(written, hub: discovery.addresses) else {
                throw APIError.notFound
            }
            place = found
        } else {
            place = .hub(path: "\(Self.root)/events/\(Self.escaped(event.id))/thumbnail")
        }
        do throws(ServiceFailure) { return try await answer(from: place).body } catch {
            throw error.asAppError
        }
    }

    private func answer(from place: ThumbnailPlace) async throws(ServiceFailure) -> WholeAnswer {
        var policy = CallPolicy.hub
        policy.answerBytes = ThumbnailPlace.longest
        switch place {
        case .hub(let path):
            return try await client(policy).answer(to: ThumbnailPlace.call(path))
        case .elsewhere(let address, let path):
            return try await ServiceClient(elsewhere, policy: policy) { address }
                .answer(to: ThumbnailPlace.call(path))
        }
    }

    /// `POST …/push/register`.
    public func registerPushToken(_ token: String) async throws {
        await discovery.settle()
        do throws(ServiceFailure) {
            let registration = PushRegistration(token: token, platform: platform)
            var call = try Call.post("\(Self.root)/push/register", registration)
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

    private func send<Reply: Decodable & Sendable>(
        _ call: Call,
        as type: Reply.Type = Reply.self
    ) async throws -> Reply {
        await discovery.settle()
        var call = call
        call.repeats = .unlessRefused
        do throws(ServiceFailure) { return try await client().send(call, as: type) } catch {
            throw error.asAppError
        }
    }

    /// A name as one segment of a path, whatever it holds.
    static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
