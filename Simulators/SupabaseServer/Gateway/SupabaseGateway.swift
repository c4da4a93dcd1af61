import Crypto
import Foundation
import HTTPTypes
import PeerKit

/// What stands before the services of a project, and knows its keys.
///
/// Source: supabase/supabase `docker/volumes/api/kong.yml` and `kong-entrypoint.sh`: the paths that want a key are those of Auth, but for
/// those that browsers open by themselves; Storage is reached without one. A key of the new kind in `apikey` becomes the token that the
/// services understand, unless the request has a token already.
public enum SupabaseGateway: Sendable, Hashable {
    /// The one of supabase.com, in whose words it refuses.
    ///
    /// The words are those of reports from its users; that it wants keys on the same paths as the other one is not verified.
    case hosted
    /// Kong 2.8 with the published configuration, as people run it themselves.
    case selfHosted

    /// Paths of Auth that need no key.
    private static let open = ["verify", "callback", "authorize", ".well-known/jwks.json"].map {
        AuthRoute.prefix + $0
    }

    /// Refuses a request that has no key, or none of the project's, where one is wanted.
    func refusal(of request: HTTPRequest, _ keys: GatewayKeys) -> PeerAnswer? {
        let target = RequestTarget(request)
        guard target.path.hasPrefix(AuthRoute.prefix), !Self.open.contains(where: target.path.hasPrefix)
        else {
            return nil
        }
        let key = request.headerFields.value("apikey") ?? target["apikey"] ?? ""
        if key.isEmpty {
            return answer(
                "No API key found in request",
                hint: "No `apikey` request header or url param was found.",
                asks: true
            )
        }
        if keys.role(of: key) != nil { return nil }
        return self == .hosted
            ? answer(
                "Invalid API key",
                hint: "Double check your Supabase `anon` or `service_role` API key.",
                asks: false
            ) : answer("Invalid authentication credentials", hint: "", asks: false)
    }

    private func answer(_ message: String, hint: String, asks: Bool) -> PeerAnswer {
        var members: [String: JSONValue] = ["message": .string(message)]
        if self == .hosted { members["hint"] = .string(hint) }
        var answer = PeerAnswer.json(.object(members), status: 401)
        if self == .selfHosted, asks { answer.headers[.wwwAuthenticate] = "Key realm=\"kong\"" }
        return answer
    }

    /// The request as the services get it.
    func translated(_ request: HTTPRequest, _ keys: GatewayKeys) -> HTTPRequest {
        let token = request.headerFields[.authorization]
        if let token, !token.hasPrefix("Bearer sb_") { return request }
        guard let key = request.headerFields.value("apikey") else { return request }
        var request = request
        request.headerFields[.authorization] = keys.token(of: key).map { "Bearer \($0)" } ?? key
        return request
    }
}

/// The keys that a gateway knows.
struct GatewayKeys: Sendable {
    private struct Key: Sendable {
        let role: StorageRole
        /// What the services get for it; `nil` for a token, which they understand.
        let token: String?
    }

    private let keys: [String: Key]

    init(_ project: SupabaseProject) {
        keys = [
            project.anonymousKey: Key(role: .anonymous, token: nil),
            project.serviceKey: Key(role: .service, token: nil),
            project.publishableKey: Key(role: .anonymous, token: project.anonymousKey),
            project.secretKey: Key(role: .service, token: project.serviceKey),
        ]
    }

    func role(of key: String) -> StorageRole? { keys[key]?.role }

    /// What the services get for a key of the new kind.
    func token(of key: String) -> String? { keys[key]?.token }
}

extension SupabaseProject {
    /// The public key of the new kind, for apps: no token, so that the gateway alone understands it.
    ///
    /// Its letters at the end are no checksum as the hosted service makes it.
    public var publishableKey: String { "sb_publishable_" + opaque("publishable") }

    /// The key of the new kind that no policy binds.
    public var secretKey: String { "sb_secret_" + opaque("secret") }

    /// Letters that only who knows the secret can make.
    private func opaque(_ purpose: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(purpose.utf8),
            using: SymmetricKey(data: Data(secret.utf8))
        )
        let letters = Base64.urlEncoded(code)
        return "\(letters.prefix(22))_\(letters.dropFirst(22).prefix(8))"
    }
}
