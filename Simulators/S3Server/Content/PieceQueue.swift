import Synchronization

/// Pieces that are taken one after another.
final class PieceQueue: Sendable {
    private let left: Mutex<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { left = Mutex(pieces[...]) }

    func next() -> [UInt8]? { left.withLock { $0.popFirst() } }
}
