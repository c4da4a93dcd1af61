import Crypto
import Foundation
import HTTPTypes
import Simulation
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: tokens")
struct TokenTests {
    /// The claims of a genuine token under another header, signed with the project's secret.
    private func token(header: String, _ project: SupabaseProject) -> String {
        func base64URL(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }
        let claims = project.serviceKey.split(separator: ".")[1]
        let signed = "\(base64URL(Data(header.utf8))).\(claims)"
        let key = SymmetricKey(data: Data(project.secret.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)
        return "\(signed).\(base64URL(Data(code)))"
    }

    @Test func `a token of another algorithm is refused, also with a signature that would hold`() async throws
    {
        let wire = try Wire()
        for (header, status) in [
            (#"{"alg":"HS256","typ":"JWT"}"#, 200), (#"{"alg":"HS512","typ":"JWT"}"#, 400),
            (#"{"typ":"JWT"}"#, 400),
        ] {
            let reply = await wire.send(
                .post,
                "/object/media/\(UUID())",
                key: token(header: header, wire.project),
                body: .text("1")
            )
            #expect(reply.status == status, "\(header): \(reply.text)")
        }
    }

    @Test func `a token holds to the last moment before the second of its expiry`() throws {
        try Simulation(seed: 1).run {
            let wire = try Wire()
            let now = Date().timeIntervalSince1970
            let expiry = now.rounded(.up) + 10
            let key = wire.project.key(of: .service, expiry: Date(timeIntervalSince1970: expiry))
            func status() async -> Int {
                await wire.send(.post, "/object/media/\(UUID())", key: key, body: .text("1")).status
            }
            try await Task.sleep(for: .seconds(expiry - now) - .milliseconds(1))
            #expect(await status() == 200)
            try await Task.sleep(for: .milliseconds(1))
            #expect(Date().timeIntervalSince1970 == expiry)
            #expect(await status() == 400)
        }
    }
}
