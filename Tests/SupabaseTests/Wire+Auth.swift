import HTTPTypes
import SupabaseServer
import Transport

extension Wire {
    /// Sends one request under `/auth/v1`, in the form of today's clients unless the version is `nil`, with the public key for the gateway.
    @discardableResult
    func auth(
        _ method: HTTPRequest.Method,
        _ path: String,
        token: String? = nil,
        json: String? = nil,
        version: String? = "2024-01-01"
    ) async -> Reply {
        var request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: "project.example",
            path: "/auth/v1" + path
        )
        if let name = HTTPField.Name("apikey") { request.headerFields[name] = project.anonymousKey }
        if let token { request.headerFields[.authorization] = "Bearer \(token)" }
        if let version, let name = HTTPField.Name("x-supabase-api-version") {
            request.headerFields[name] = version
        }
        let (head, body) = await server.respond(to: request, body: json.map { .text($0) } ?? .empty)
        let bytes = (try? await body.collect(upTo: 1 << 20)) ?? []
        return Reply(status: head.status.code, headers: head.headerFields, bytes: bytes)
    }

    /// Signs in as the one user of ``AuthTests/wire(_:)``.
    func signIn(_ email: String = "ada@example.com", _ password: String = "difference") async -> Reply {
        await auth(
            .post,
            "/token?grant_type=password",
            json: "{\"email\":\"\(email)\",\"password\":\"\(password)\"}"
        )
    }

    func refresh(_ token: String?) async -> Reply {
        await auth(
            .post,
            "/token?grant_type=refresh_token",
            json: "{\"refresh_token\":\"\(token ?? "")\"}"
        )
    }
}

extension Wire.Reply {
    /// Status, code and message of a refusal, in the form of today's clients.
    var authRefusal: String { "\(status) \(self["code"] ?? "-"): \(self["message"] ?? "-")" }
}
