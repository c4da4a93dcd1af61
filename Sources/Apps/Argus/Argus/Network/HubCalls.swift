public import Foundation
internal import ServiceClient
internal import Services

/// The calls of one dialect over the models of the app: it builds requests and reads answers, sends nothing, and knows no address and no token.
protocol HubCalls: Sendable {
    /// A page of events, the newest first; pages count from 1.
    func events(page: Int, size: Int) -> HubQuestion<EventsResponse>
    /// One event.
    func event(_ id: String) -> HubQuestion<Event>
    /// All cameras.
    func cameras() -> HubQuestion<[Camera]>
    /// The picture of an event.
    ///
    /// - Parameter hub: Where the hub is known to be.
    /// - Returns: `nil` where the event says of none, or of one at no address that can be used.
    func thumbnail(of event: Event, at hub: [ServiceAddress]) -> ThumbnailPlace?
    /// Has the hub send notifications for a device to a token.
    func registration(_ token: String, of device: HubDevice) throws(ServiceFailure) -> Call
    /// Asks for the token after this one.
    ///
    /// - Returns: `nil` where the token lacks what this dialect asks with.
    func refresh(_ last: BearerToken) throws(ServiceFailure) -> HubQuestion<AuthToken>?
    /// What tells the hub that a session has ended, one call after the other.
    ///
    /// - Parameter isLeaving: Whether the hub is to forget the device's registration, too.
    func endings(of token: BearerToken, for device: UUID, isLeaving: Bool) throws(ServiceFailure) -> [Call]
}

/// A call, and how its answer is read.
struct HubQuestion<Answer: Sendable>: Sendable {
    /// What is sent.
    var call: Call
    private let read: @Sendable (ServiceClient, Call) async throws(ServiceFailure) -> Answer

    /// A call whose answer is a document, which is turned into what the app knows.
    init<Reply: Decodable & Sendable>(
        _ call: Call,
        as reply: Reply.Type,
        _ answer: @escaping @Sendable (Reply) -> Answer
    ) {
        self.call = call
        read = { client, call throws(ServiceFailure) in answer(try await client.send(call, as: reply)) }
    }

    /// A call whose answer is a document of the app's own form.
    init(_ call: Call) where Answer: Decodable {
        self.init(call, as: Answer.self) { $0 }
    }

    /// Sends the call, and reads its answer.
    ///
    /// - Throws: As `ServiceClient.send`.
    func ask(_ client: ServiceClient) async throws(ServiceFailure) -> Answer { try await read(client, call) }
}

/// This device, as hubs list it.
public struct HubDevice: Sendable, Hashable {
    /// What it is called at every hub.
    public var id: UUID
    /// What people call it; at most 100 characters are sent.
    public var name: String
    /// What it is for the hub: `ios` or `android`.
    public var platform: String

    /// Makes a value of its parts.
    public init(id: UUID, name: String, platform: String = "ios") {
        (self.id, self.name, self.platform) = (id, name, platform)
    }

    /// The ID as it is sent.
    var idText: String { id.uuidString.lowercased() }
    /// The name as it is sent.
    var shortName: String { String(name.prefix(100)) }
}

/// Texts as parts of a path.
enum HubPath {
    /// A name as one segment of a path, whatever it holds.
    static func segment(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
