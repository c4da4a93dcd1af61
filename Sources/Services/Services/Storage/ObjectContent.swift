internal import Synchronization

/// The bytes of an object that is to be stored.
public struct ObjectContent: Sendable {
    /// Bytes of all of it.
    public let size: Int
    /// Whether every part can be read at any time; other content is read from its beginning to its end, and has no checkpoints.
    public let isRepeatable: Bool
    private let read: @Sendable (Range<Int>) async throws(ObjectContentError) -> [UInt8]

    /// Bytes in memory.
    public init(_ bytes: [UInt8]) {
        self.init(size: bytes.count) { range throws(ObjectContentError) in
            range.count == bytes.count ? bytes : Array(bytes[range])
        }
    }

    /// What can be read in any order, and more than once, such as a file; it must not change while it is stored.
    ///
    /// - Parameters:
    ///   - size: Bytes of all of it.
    ///   - read: Reads a part, whole; may be called from any task.
    public init(
        size: Int,
        read: @escaping @Sendable (Range<Int>) async throws(ObjectContentError) -> [UInt8]
    ) {
        (self.size, self.read, isRepeatable) = (size, read, true)
    }

    /// What comes once, from its beginning to its end, such as a download.
    ///
    /// What was read last is kept until what follows is read, so that a part that failed can be sent again: a store reads at most the length
    /// of its parts at once.
    ///
    /// - Parameters:
    ///   - size: Bytes of all of it.
    ///   - next: The next chunk, of any length; `nil` at the end. Called by one task at a time.
    public init(
        size: Int,
        next: @escaping @Sendable () async throws(ObjectContentError) -> [UInt8]?
    ) {
        let window = Window(next)
        (self.size, isRepeatable) = (size, false)
        read = { range throws(ObjectContentError) in try await window.read(range) }
    }

    /// Reads a part, whole.
    ///
    /// - Parameter range: Inside of the content.
    /// - Throws: Why it cannot be read, also where it has fewer bytes than were announced.
    public func bytes(_ range: Range<Int>) async throws(ObjectContentError) -> [UInt8] {
        let bytes = try await read(range)
        guard bytes.count == range.count else {
            let end = range.lowerBound + bytes.count
            throw ObjectContentError("it ends at byte \(end) of \(size)")
        }
        return bytes
    }
}

/// Why content could not be read.
public struct ObjectContentError: Error, Hashable, CustomStringConvertible {
    /// What came back.
    public var detail: String

    /// Makes a value of its parts.
    public init(_ detail: String) { self.detail = detail }

    /// All of it, for people.
    public var description: String { "the content cannot be read: \(detail)" }
}

/// The part of a stream that was read last.
private final class Window: Sendable {
    private let kept = Mutex((start: 0, bytes: [UInt8]()))
    private let next: @Sendable () async throws(ObjectContentError) -> [UInt8]?

    init(_ next: @escaping @Sendable () async throws(ObjectContentError) -> [UInt8]?) { self.next = next }

    func read(_ range: Range<Int>) async throws(ObjectContentError) -> [UInt8] {
        while true {
            let found: [UInt8]? = try kept.withLock { kept throws(ObjectContentError) in
                guard range.lowerBound >= kept.start else {
                    throw ObjectContentError("byte \(range.lowerBound) has passed, and the stream comes once")
                }
                let end = kept.start + kept.bytes.count
                guard range.upperBound <= end else {
                    // What lies before the wanted part is not asked for again.
                    let passed = min(range.lowerBound, end) - kept.start
                    kept.bytes.removeFirst(passed)
                    kept.start += passed
                    return nil
                }
                return Array(kept.bytes[(range.lowerBound - kept.start)..<(range.upperBound - kept.start)])
            }
            if let found { return found }
            guard let chunk = try await next() else {
                return kept.withLock { kept in
                    Array(kept.bytes.dropFirst(range.lowerBound - kept.start))
                }
            }
            kept.withLock { $0.bytes += chunk }
        }
    }
}
