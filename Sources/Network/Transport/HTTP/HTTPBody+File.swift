import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension HTTPBody {
    /// A file, or a part of it, read while it is sent.
    ///
    /// Its length is taken now, and each time it is sent it is read from its beginning; what is appended meanwhile is
    /// not sent, and a file that has become shorter breaks the request.
    ///
    /// - Parameters:
    ///   - path: Of a regular file.
    ///   - range: Bytes of it, cut to its size; all of it when `nil`.
    /// - Throws: `protocolViolation` when the file cannot be opened, with the system's words, or is not a regular one.
    public static func file(_ path: String, range: Range<Int>? = nil) throws(TransportError) -> HTTPBody {
        let size = try FileReader(path).size()
        let part = (range ?? 0..<size).clamped(to: 0..<size)
        return .repeatable(length: part.count) { () async throws(TransportError) in
            let reader = try FileReader(path)
            let place = Place(part)
            return ByteStream { () async throws(TransportError) in
                guard let wanted = place.next() else { return nil }
                return try reader.read(wanted)
            }
        }
    }

    /// How far a file was read.
    private final class Place: Sendable {
        private static let chunk = 64 * 1024
        private let left: Mutex<Range<Int>>

        init(_ range: Range<Int>) { left = Mutex(range) }

        func next() -> Range<Int>? {
            left.withLock { left in
                guard !left.isEmpty else { return nil }
                let end = min(left.lowerBound + Self.chunk, left.upperBound)
                defer { left = end..<left.upperBound }
                return left.lowerBound..<end
            }
        }
    }
}

/// An open file.
private final class FileReader: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(TransportError) {
        self.path = path
        // Without waiting: to open a FIFO takes as long as nobody writes to it.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 { throw Self.failure("open file", path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("open file", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TransportError(
                .protocolViolation,
                operation: "open file",
                peer: path,
                detail: "it is \(Self.kind(status.st_mode)), not a regular file",
                reach: .notSent
            )
        }
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFSOCK: "a socket"
        default: "something else"
        }
    }

    deinit { _ = close(descriptor) }

    func size() throws(TransportError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw Self.failure("measure file", path) }
        return Int(end)
    }

    func read(_ range: Range<Int>) throws(TransportError) -> [UInt8] {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
            while count < range.count {
                let place = off_t(range.lowerBound + count)
                let got = unsafe pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: count),
                    range.count - count,
                    place
                )
                if got < 0, errno == EINTR { continue }
                if got <= 0 { break }
                count += got
            }
            initialized = count
        }
        if count == range.count { return bytes }
        throw TransportError(
            .protocolViolation,
            operation: "read file",
            peer: path,
            detail: "it ends or cannot be read at byte \(range.lowerBound + count)",
            reach: .sent
        )
    }

    private static func failure(_ operation: String, _ path: String) -> TransportError {
        let words = unsafe String(cString: strerror(errno))
        return TransportError(
            .protocolViolation,
            operation: operation,
            peer: path,
            detail: words,
            reach: .notSent
        )
    }
}
