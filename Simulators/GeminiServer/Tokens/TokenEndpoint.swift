import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Makes ephemeral tokens: `POST /v1alpha/auth_tokens`.
struct TokenEndpoint: Sendable {
    /// Bytes of the largest request.
    private static let largestRequest = 64 * 1024

    let store: TokenStore
    let read: ReadBody

    /// Answers a request whose key has been accepted.
    func answer(_ body: HTTPBody) async throws(GeminiFailure) -> PeerAnswer {
        let bytes = try await read.bytes(of: body, upTo: Self.largestRequest)
        return .json(["name": .string(try store.keep(try token(bytes)))])
    }

    private func token(_ bytes: [UInt8]) throws(GeminiFailure) -> AuthToken {
        // Google's client sends nothing at all where everything is as usual.
        if bytes.isEmpty { return try AuthToken([:], at: Date()) }
        let json: JSONValue
        do throws(JSONMalformed) { json = try JSONValue(json: bytes) } catch { throw .notJSON }
        read.keep(json)
        let fields: JSONValue
        do throws(ShapeMismatch) { fields = try AuthToken.shape.read(json) } catch {
            throw GeminiFailure(error)
        }
        return try AuthToken(fields, at: Date())
    }
}
