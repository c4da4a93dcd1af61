import Foundation
import Transport

/// A transport error as bytes of a recording, and back.
enum TransportErrorCoding {
    private struct Stored: Codable {
        var code: String
        var operation: String
        var peer: String
        var detail: String
        var status: Int?
        /// Absent in older recordings.
        var reach: String?
        /// As text, in which secrets are masked like everywhere in a recording.
        var body: String?
        var retryAfter: Duration?
    }

    static func bytes(of error: TransportError) -> [UInt8] {
        let stored = Stored(
            code: error.code.rawValue,
            operation: error.operation,
            peer: error.peer,
            detail: error.detail,
            status: error.status,
            reach: error.reach.rawValue,
            body: error.body.isEmpty ? nil : String(decoding: error.body, as: UTF8.self),
            retryAfter: error.retryAfter
        )
        // A value of strings and numbers always encodes.
        return (try? JSONEncoder().encode(stored)).map { Array($0) } ?? []
    }

    static func error(from bytes: [UInt8]) -> TransportError {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
            let code = TransportError.Code(rawValue: stored.code)
        else {
            return TransportError(
                .reset,
                operation: "replay",
                peer: "session",
                detail: "unreadable recorded error"
            )
        }
        var error = TransportError(
            code,
            operation: stored.operation,
            peer: stored.peer,
            detail: stored.detail,
            status: stored.status,
            reach: stored.reach.flatMap { TransportError.Reach(rawValue: $0) }
        )
        error.body = Array((stored.body ?? "").utf8)
        error.retryAfter = stored.retryAfter
        return error
    }
}
