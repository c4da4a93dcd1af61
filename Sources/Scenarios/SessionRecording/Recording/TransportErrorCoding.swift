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
    }

    static func bytes(of error: TransportError) -> [UInt8] {
        let stored = Stored(
            code: error.code.rawValue,
            operation: error.operation,
            peer: error.peer,
            detail: error.detail,
            status: error.status,
            reach: error.reach.rawValue
        )
        // A value of strings and a number always encodes.
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
        return TransportError(
            code,
            operation: stored.operation,
            peer: stored.peer,
            detail: stored.detail,
            status: stored.status,
            reach: stored.reach.flatMap { TransportError.Reach(rawValue: $0) }
        )
    }
}
