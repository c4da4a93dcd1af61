internal import Foundation
internal import HTTPTypes
internal import PeerKit

/// A provider's request whose form is right.
///
/// What is checked follows Apple's descriptions of headers and reasons. The order in which it is checked, and what becomes of a payload that is no
/// object of JSON with `aps` (PayloadEmpty) or does not suit its type (InvalidPushType), is our own choice: both are nowhere described.
struct ProviderRequest: Sendable {
    /// How long a notification is kept for a device that is not connected.
    enum Keeping: Sendable, Equatable {
        /// It is tried once.
        case not
        case until(Date)
    }

    /// The device token in lower-case hexadecimal.
    var token: String
    /// The app's bundle ID, without what the push type adds to the topic.
    var bundleID: String
    var keeping: Keeping
    /// 10, 5 or 1.
    var priority: Int
    var collapseID: String?
    var payload: String

    /// About how long Apple keeps a notification without `apns-expiration`.
    static let usualKeeping: TimeInterval = 30 * 86_400
    /// Digits of the longest token: Apple asks not to count on 64.
    private static let tokenDigits = 200
    /// Bytes of the longest collapse ID, and of the longest topic.
    private static let (collapseBytes, topicBytes) = (64, 255)

    /// The device token in the path `/3/device/…`.
    static func token(in path: String) throws(PushRefusal) -> String {
        let start = "/3/device"
        guard path == start || path.hasPrefix(start + "/") else { throw PushRefusal(.badPath) }
        let token = path.dropFirst(start.count + 1)
        guard !token.isEmpty else { throw PushRefusal(.missingDeviceToken) }
        guard token.utf8.count <= tokenDigits, token.utf8.count.isMultiple(of: 2),
            token.utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || letters.contains($0 | 0x20)
            })
        else { throw PushRefusal(.badDeviceToken) }
        return token.lowercased()
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "f")

    /// Refuses header fields that say two things.
    static func requireSingle(_ fields: HTTPFields) throws(PushRefusal) {
        let own = fields.map(\.name).filter {
            $0.canonicalName.hasPrefix("apns-") || $0 == .authorization
        }
        guard Set(own).count == own.count else { throw PushRefusal(.duplicateHeaders) }
    }

    /// Reads the fields and the payload of a request.
    init(token: String, _ fields: HTTPFields, _ body: [UInt8], now: Date) throws(PushRefusal) {
        self.token = token
        if let id = fields.value("apns-id"), UUID(uuidString: id) == nil { throw PushRefusal(.badMessageID) }
        let type: PushType?
        if let name = fields.value("apns-push-type") {
            guard let known = PushType(rawValue: name) else { throw PushRefusal(.invalidPushType) }
            type = known
        } else {
            type = nil
        }
        guard let topic = fields.value("apns-topic"), !topic.isEmpty else { throw PushRefusal(.missingTopic) }
        let suffix = type?.topicSuffix ?? ""
        guard topic.utf8.count <= Self.topicBytes, topic.hasSuffix(suffix),
            topic.utf8.count > suffix.utf8.count
        else { throw PushRefusal(.badTopic) }
        bundleID = String(topic.dropLast(suffix.count))
        keeping = try Self.keeping(fields.value("apns-expiration"), now)
        priority = try Self.priority(fields.value("apns-priority"))
        collapseID = fields.value("apns-collapse-id")
        guard collapseID.map({ 1...Self.collapseBytes ~= $0.utf8.count }) ?? true else {
            throw PushRefusal(.badCollapseID)
        }
        guard !body.isEmpty else { throw PushRefusal(.payloadEmpty) }
        guard body.count <= (type ?? .alert).payloadLimit else { throw PushRefusal(.payloadTooLarge) }
        guard let text = String(validating: body, as: UTF8.self),
            let object = (try? JSONValue(json: body, depth: 32))?.object, let aps = object["aps"]?.object
        else { throw PushRefusal(.payloadEmpty) }
        payload = text
        let isSilent = aps["content-available"] == 1 && aps.keys.allSatisfy { $0 == "content-available" }
        if type == .background, !isSilent { throw PushRefusal(.invalidPushType) }
        if isSilent, priority == 10, fields.value("apns-priority") != nil { throw PushRefusal(.badPriority) }
    }

    private static func keeping(_ text: String?, _ now: Date) throws(PushRefusal) -> Keeping {
        guard let text else { return .until(now + usualKeeping) }
        guard let seconds = Int(text), seconds >= 0 else { throw PushRefusal(.badExpirationDate) }
        return seconds == 0 ? .not : .until(Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    private static func priority(_ text: String?) throws(PushRefusal) -> Int {
        guard let text else { return 10 }
        guard let priority = Int(text), [10, 5, 1].contains(priority) else { throw PushRefusal(.badPriority) }
        return priority
    }
}
