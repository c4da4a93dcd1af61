import PeerKit
import Synchronization
import Transport

/// The bytes of an object or a part, in memory or in files; they never change, and copies in memory share them.
struct ObjectContent: Sendable {
    /// Some of the bytes.
    enum Piece: Sendable {
        case memory([UInt8])
        case file(ContentFile)

        var count: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .file(let file): file.size
            }
        }
    }

    let pieces: [Piece]
    let size: Int
    /// What the content takes of the account's memory, of all contents that it comes from.
    private let shares: [MemoryBudget.Share]

    init(pieces: [Piece], _ share: MemoryBudget.Share) {
        self.pieces = pieces
        size = pieces.reduce(0) { $0 + $1.count }
        shares = [share]
    }

    /// The contents one after another.
    init(joining contents: [ObjectContent]) {
        pieces = contents.flatMap(\.pieces)
        size = contents.reduce(0) { $0 + $1.size }
        shares = contents.flatMap(\.shares)
    }

    /// The files that have the bytes, in their order; none for bytes in memory.
    var files: [ContentFile] {
        pieces.compactMap { piece in
            if case .file(let file) = piece { file } else { nil }
        }
    }

    /// Something durable refers to the bytes.
    func keep() { for file in files { file.keep() } }

    /// Nothing refers to the bytes any more; files are deleted as soon as nobody reads them.
    func discard() { for file in files { file.discard() } }

    /// All bytes; empty when a file cannot be read.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        do { try forEachChunk(in: 0..<size) { bytes += $0 } } catch { return [] }
        return bytes
    }

    /// Calls the body with the bytes of a range, no more than a piece at a time.
    func forEachChunk(in range: Range<Int>, _ body: ([UInt8]) throws(S3Failure) -> Void) throws(S3Failure) {
        let reader = ContentReader(slices(of: range))
        while true {
            let chunk: [UInt8]?
            do { chunk = try reader.next() } catch { throw .internalError }
            guard let chunk else { return }
            try body(chunk)
        }
    }

    /// A part of the bytes, as a body that can be read again.
    func body(_ range: Range<Int>) -> HTTPBody {
        if range.isEmpty { return .bytes([]) }
        let slices = slices(of: range)
        if slices.count == 1, case .memory(let bytes) = slices[0].piece {
            let part = slices[0].range
            return .bytes(part.count == bytes.count ? bytes : Array(bytes[part]))
        }
        return .repeatable(length: range.count) { () async throws(TransportError) in
            let rest = ContentReader(slices)
            return ByteStream { () async throws(TransportError) in try rest.nextOfBody() }
        }
    }

    /// The pieces of a part of the bytes, and which of theirs.
    private func slices(of range: Range<Int>) -> [(piece: Piece, range: Range<Int>)] {
        var slices: [(piece: Piece, range: Range<Int>)] = []
        var offset = 0
        for piece in pieces {
            let part = range.clamped(to: offset..<offset + piece.count)
            if !part.isEmpty {
                slices.append((piece, part.lowerBound - offset..<part.upperBound - offset))
            }
            offset += piece.count
        }
        return slices
    }
}

/// Bytes of several pieces, read once and in order.
private final class ContentReader: Sendable {
    private struct State: Sendable {
        var left: ArraySlice<(piece: ObjectContent.Piece, range: Range<Int>)>
        /// Reads the file that is the first piece.
        var reader: ContentFile.Reader?
    }

    private let state: Mutex<State>

    init(_ slices: [(piece: ObjectContent.Piece, range: Range<Int>)]) {
        state = Mutex(State(left: slices[...]))
    }

    func next() throws(ContentFile.Unusable) -> [UInt8]? {
        try state.withLock { state throws(ContentFile.Unusable) in
            while let first = state.left.first {
                switch first.piece {
                case .memory(let bytes):
                    state.left.removeFirst()
                    return first.range.count == bytes.count ? bytes : Array(bytes[first.range])
                case .file(let file):
                    if state.reader == nil { state.reader = try file.reader(first.range) }
                    if let chunk = try state.reader?.next() { return chunk }
                    state.reader = nil
                    state.left.removeFirst()
                }
            }
            return nil
        }
    }

    func nextOfBody() throws(TransportError) -> [UInt8]? {
        do { return try next() } catch {
            throw TransportError(.reset, operation: "send body", peer: "client", detail: "\(error)")
        }
    }
}
