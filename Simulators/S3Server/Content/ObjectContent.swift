import PeerKit
import Transport

/// The bytes of an object or a part, in memory; they never change, and copies share them.
struct ObjectContent: Sendable {
    /// None is empty.
    let pieces: [[UInt8]]
    let size: Int
    /// What the bytes take of the account's memory, of all contents that they come from.
    private let shares: [MemoryBudget.Share]

    init(pieces: [[UInt8]], _ share: MemoryBudget.Share) {
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

    /// All bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for piece in pieces { bytes += piece }
        return bytes
    }

    /// A part of the bytes, as a body that can be read again.
    func body(_ range: Range<Int>) -> HTTPBody {
        if range.isEmpty { return .bytes([]) }
        let parts = slices(of: range)
        if parts.count == 1 { return .bytes(parts[0]) }
        return .repeatable(length: range.count) { () async throws(TransportError) in
            let rest = PieceQueue(parts)
            return ByteStream { () async throws(TransportError) in rest.next() }
        }
    }

    /// The pieces of a part of the bytes.
    func slices(of range: Range<Int>) -> [[UInt8]] {
        var slices: [[UInt8]] = []
        var offset = 0
        for piece in pieces {
            let part = range.clamped(to: offset..<offset + piece.count)
            if !part.isEmpty {
                let local = part.lowerBound - offset..<part.upperBound - offset
                slices.append(local.count == piece.count ? piece : Array(piece[local]))
            }
            offset += piece.count
        }
        return slices
    }
}
