import HTTPTypes
import PeerKit
import Transport

/// What the gateway and the services say to browsers: any page may use the project.
///
/// Sources: Kong `kong/plugins/cors/handler.lua`, with the published configuration of the gateway; tus/tus-node-server
/// `packages/utils/src/constants.ts`, supabase/storage `src/http/routes/tus/index.ts`.
extension SupabaseServer {
    /// Answers what a browser asks before a request of another origin, which no service sees; `nil` for any other request.
    func preflight(_ request: HTTPRequest) -> PeerAnswer? {
        let fields = request.headerFields
        guard request.method == .options, fields.value("origin") != nil,
            fields.value("access-control-request-method") != nil
        else { return nil }
        var answer = PeerAnswer(status: 200, body: .bytes([]))
        answer.headers.set("access-control-allow-origin", "*")
        answer.headers.set(
            "access-control-allow-methods",
            "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT"
        )
        if let wanted = fields.value("access-control-request-headers") {
            answer.headers.set("access-control-allow-headers", wanted)
        }
        return answer
    }

    /// Fields that pages may send and read in uploads in parts.
    private static let resumableFields =
        "Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Concat, "
        + "Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override, X-Requested-With, "
        + "X-Forwarded-Host, X-Forwarded-Proto, Forwarded"

    /// Lets pages read what the protocol for uploads in parts says in header fields.
    static func exposeResumable(_ answer: inout PeerAnswer) {
        answer.headers.set("access-control-expose-headers", resumableFields)
    }

    /// What the protocol's own answer to OPTIONS permits.
    static func permitResumable(_ answer: inout PeerAnswer) {
        answer.headers.set("access-control-allow-methods", "POST, HEAD, PATCH, OPTIONS, DELETE")
        answer.headers.set(
            "access-control-allow-headers",
            resumableFields + ", Authorization, X-Upsert, Upload-Expires, ApiKey, x-signature"
        )
        answer.headers.set("access-control-max-age", "86400")
    }
}
