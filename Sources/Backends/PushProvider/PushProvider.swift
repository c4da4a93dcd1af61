internal import Foundation
internal import HTTPTypes
public import SignedToken
public import Transport

/// Sends notifications through Apple's provider interface, at Apple or at a service that speaks it, such as `lenssim serve push --tls`.
///
/// The interface wants HTTP/2, which the client agrees upon within TLS; one connection and one provider token serve all notifications. Safe to use from any
/// task.
///
/// Source: Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs".
public final class PushProvider: Sendable {
    /// With what the provider proves who it is.
    public struct Credentials: Sendable {
        /// The team, 10 characters.
        public var teamID: String
        /// The key's name, 10 characters.
        public var keyID: String
        /// The key.
        public var signer: any TokenSigner

        /// Makes a value of its parts.
        public init(teamID: String, keyID: String, signer: any TokenSigner) {
            (self.teamID, self.keyID, self.signer) = (teamID, keyID, signer)
        }
    }

    private let scheme: String
    private let authority: String
    private let topic: String
    private let token: ProviderToken
    private let http: any HTTPClient

    private static let timeout = Duration.seconds(30)
    private static let answerLimit = 4096

    /// Makes a provider; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - scheme: `https`; a simulated network takes `http` too.
    ///   - authority: Such as `api.push.apple.com`.
    ///   - topic: The app's bundle ID.
    ///   - credentials: With what it proves who it is.
    ///   - http: What sends.
    public init(
        scheme: String = "https",
        authority: String,
        topic: String,
        credentials: Credentials,
        over http: any HTTPClient
    ) {
        (self.scheme, self.authority, self.topic, self.http) = (scheme, authority, topic, http)
        token = ProviderToken(credentials)
    }

    /// Sends a notification once, and says what has come of it; whether and when it is sent again is the caller's to decide.
    ///
    /// Where the service calls the provider's token expired, one made at that moment is tried.
    public func send(_ message: PushMessage) async -> PushOutcome {
        guard message.payload.count <= PushMessage.mostBytes else {
            return .tooLarge(bytes: message.payload.count)
        }
        // In a path, anything else could lead elsewhere.
        guard !message.token.isEmpty,
            message.token.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return .badDeviceToken }
        var expired: String?
        while true {
            let text: String
            do throws(TokenKeyError) { text = try token.text(insteadOf: expired) } catch {
                return .refused(status: 0, reason: "\(error)")
            }
            let answer: Answer
            do throws(TransportError) { answer = try await send(message, as: text) } catch {
                return .later(after: .zero, reason: "\(error)")
            }
            guard answer.reason == "ExpiredProviderToken", expired == nil else { return answer.outcome }
            expired = text
        }
    }

    private func send(_ message: PushMessage, as token: String) async throws(TransportError) -> Answer {
        var request = HTTPRequest(
            method: .post,
            scheme: scheme,
            authority: authority,
            path: "/3/device/\(message.token)"
        )
        let expiration =
            message.keep > .zero ? Int(Date().timeIntervalSince1970) + Int(message.keep / .seconds(1)) : 0
        var fields = [
            ("authorization", "bearer \(token)"), ("apns-topic", topic), ("apns-push-type", "alert"),
            ("apns-id", message.id), ("apns-priority", "10"), ("apns-expiration", String(expiration)),
            ("content-type", "application/json"),
        ]
        if let id = message.collapseID, 1...64 ~= id.utf8.count { fields.append(("apns-collapse-id", id)) }
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let (head, body) = try await http.send(request, body: .bytes(message.payload), timeout: Self.timeout)
        let bytes = try await body.collect(upTo: Self.answerLimit, within: Self.timeout)
        return Answer(status: head.status.code, bytes, pause: head.headerFields.retryAfter)
    }
}

/// What the service says.
private struct Answer {
    struct Document: Decodable {
        var reason: String?
        /// Milliseconds since 1970.
        var timestamp: Double?
    }

    let status: Int
    let reason: String
    private let since: Date?
    private let pause: Duration?

    init(status: Int, _ body: [UInt8], pause: Duration?) {
        let document = try? JSONDecoder().decode(Document.self, from: Data(body))
        self.status = status
        self.pause = pause
        // It goes into logs.
        reason = String((document?.reason ?? "status \(status)").prefix(100))
        since = document?.timestamp.map { Date(timeIntervalSince1970: $0 / 1000) }
    }

    /// Source: Apple's table of status codes and reasons.
    var outcome: PushOutcome {
        switch status {
        case 200: .accepted
        case 400 where reason == "BadDeviceToken" || reason == "DeviceTokenNotForTopic": .badDeviceToken
        case 410: .unregistered(since: since ?? Date())
        case 429, 500...599: .later(after: pause ?? .zero, reason: reason)
        default: .refused(status: status, reason: reason)
        }
    }
}
