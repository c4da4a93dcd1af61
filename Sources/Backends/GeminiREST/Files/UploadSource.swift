import Transport

/// What is uploaded.
public enum UploadSource: Sendable, Hashable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A regular file, read while it is sent; a piece at a time is in memory.
    case file(path: String)

    /// Its size in bytes.
    ///
    /// - Throws: `protocolViolation` for a file that cannot be read.
    var length: Int {
        get throws(TransportError) {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let path): try HTTPBody.file(path).length ?? 0
            }
        }
    }

    /// A part of it, as the body of a request.
    ///
    /// - Throws: `protocolViolation` for a file that cannot be read any more, or has become shorter.
    func body(_ range: Range<Int>) throws(TransportError) -> HTTPBody {
        switch self {
        case .bytes(let bytes): return .bytes(Array(bytes[range]))
        case .file(let path):
            let body = try HTTPBody.file(path, range: range)
            guard body.length == range.count else {
                throw TransportError(
                    .protocolViolation,
                    operation: "read file",
                    peer: path,
                    detail: "it has become shorter",
                    reach: .notSent
                )
            }
            return body
        }
    }
}
