internal import Foundation
public import HTTPTypes
// Models what Apple is for a service that signs people in by it: the keys at `/auth/keys`, several at a time and rotated without notice, and identity
// tokens that are signed with them. For tests there is `POST /simulator/token`, which the real service has not: a JSON object of claims that
// replace the usual ones (null leaves one out) gives `{identity_token}`.
//
// Does not model: the sheet on a device, authorization codes and their exchange, revocation, web flows, relayed mail.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: claims and the form of keys follow Apple's documentation; nothing was run against it.
public import PeerKit
internal import Synchronization
public import Transport

/// A simulated issuer of identity tokens, as Apple is one.
///
/// Safe to use from any task.
public final class AppleIssuer: Server {
    /// What `iss` says.
    public static let name: String = "https://appleid.apple.com"
    /// Where something may go wrong at every such issuer.
    public static var faultPoints: [PeerFaultPoint] { AppleFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(AppleIssuer.faultPoints)
    /// For which app tokens are, unless a claim says another.
    public let clientID: String

    /// Keys that are published at a time.
    private static let publishedCount = 2
    private static let lifetime = 600

    private struct State {
        var requestCount = 0
        /// How often keys were rotated.
        var rotationCount = 0
    }

    private let keys: [RS256Key]
    private let state = Mutex(State())

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - clientID: For which app tokens are.
    ///   - keys: What tokens are signed with, one after the other as keys are rotated; two at least.
    public init(
        clientID: String = "dev.lenssim.nova",
        keys: [RS256Key] = [.simulated(1), .simulated(2)]
    ) {
        precondition(keys.count > 1, "an issuer publishes two keys at least")
        (self.clientID, self.keys) = (clientID, keys)
    }

    /// How many requests have come, those of services that fetch keys among them.
    public var requestCount: Int { state.withLock { $0.requestCount } }

    /// Signs with the next key from now on, and publishes one more in the place of the oldest.
    public func rotateKeys() { state.withLock { $0.rotationCount += 1 } }

    /// An identity token as a device gets it.
    ///
    /// - Parameters:
    ///   - subject: What the issuer calls the person.
    ///   - nonce: The app's own, of which the token has the digest: SHA-256, in hexadecimal.
    public func identityToken(of subject: String, nonce: String) -> String {
        identityToken([
            "sub": .string(subject), "nonce": .string(ByteDigest.hexadecimal(of: nonce)),
        ])
    }

    /// An identity token.
    ///
    /// - Parameters:
    ///   - claims: What is put in the place of the usual claims; null leaves one out.
    ///   - header: The same for the header, such as another `alg` over the same signature.
    public func identityToken(
        _ claims: [String: JSONValue] = [:],
        header: [String: JSONValue] = [:]
    ) -> String {
        let now = Int(Date().timeIntervalSince1970.rounded(.down))
        let usual: [String: JSONValue] = [
            "iss": .string(Self.name), "aud": .string(clientID), "sub": "001234.5ca1ab1e.0001",
            "iat": .integer(now), "exp": .integer(now + Self.lifetime), "auth_time": .integer(now),
            "nonce_supported": true, "email": "ada.private@icloud.example", "email_verified": "true",
            "is_private_email": "true", "real_user_status": 2,
        ]
        let current = state.withLock { $0.rotationCount }
        return RS256Token.make(
            usual.merging(claims) { $1 }.filter { !$0.value.isNull },
            header: header,
            keyID: Self.keyID(current),
            by: keys[current % keys.count]
        )
    }

    private static func keyID(_ number: Int) -> String { "apple-\(number + 1)" }

    // MARK: Serving

    /// A request of this service neither waits for a disk nor computes for long.
    public var mayBlock: Bool { false }

    /// Answers a request, or as its fault points want it.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        state.withLock { $0.requestCount += 1 }
        return await faults.answering { await answer(request, body) }.response
    }

    private enum Call { case keys, token }

    private static let routes: PeerRoutes<Call> = {
        var routes = PeerRoutes<Call>()
        routes.on(.get, "/auth/keys", .keys)
        routes.on(.post, "/simulator/token", .token)
        return routes
    }()

    private func answer(_ request: HTTPRequest, _ body: HTTPBody) async -> PeerAnswer {
        switch Self.routes.match(request) {
        case .nowhere: return .json(["error": "not_found"], status: 404)
        case .otherMethod(let allowed):
            var answer = PeerAnswer.json(["error": "method_not_allowed"], status: 405)
            answer.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
            return answer
        case .found(.keys, _): return .json(published.json)
        case .found(.token, _):
            guard let bytes = try? await body.collect(upTo: 65_536, within: .seconds(30)),
                let claims = bytes.isEmpty ? [:] : (try? JSONValue(json: bytes, depth: 4))?.object
            else { return .json(["error": "invalid_request"], status: 400) }
            if faults.strike(AppleFaultPoints.rotated) != nil { rotateKeys() }
            return .json(["identity_token": .string(identityToken(claims))])
        }
    }

    private var published: WebKeySet {
        let first = state.withLock { $0.rotationCount }
        let numbers = first..<first + Self.publishedCount
        return WebKeySet(
            Dictionary(
                uniqueKeysWithValues: numbers.map { (Self.keyID($0), keys[$0 % keys.count].publicKey) }
            )
        )
    }
}

/// The fault points of the simulated issuer, besides those of all services.
enum AppleFaultPoints {
    static let rotated = PeerFaultPoint("apple.rotated", "keys are rotated just before a token is issued")

    static let points = HTTPFaults.points + [rotated]
}
