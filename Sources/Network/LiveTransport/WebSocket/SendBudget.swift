import NIOCore
import Synchronization

/// Lets a writer hand a message to the event loop and go on, as long as there is room for it.
///
/// Bounds what is on its way to the event loop, which the channel itself does not count yet.
final class SendBudget: Sendable {
    /// Bytes that wait for the event loop, and for the system, at which a writer waits for them.
    static let room = 512 * 1024

    private let isClosed = Atomic(false)
    private let isCrowded = Atomic(false)
    private let underway = Atomic(0)

    /// Whether the writer may go on without waiting; after `true`, ``passed(_:)`` must follow on the event loop.
    func admits(_ bytes: Int, to channel: any Channel) -> Bool {
        guard channel.isWritable, !isCrowded.load(ordering: .acquiring), !isClosed.load(ordering: .acquiring)
        else { return false }
        let before = underway.add(bytes, ordering: .relaxed).oldValue
        if before < Self.room { return true }
        underway.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// So many admitted bytes have reached the event loop.
    func passed(_ bytes: Int) { underway.subtract(bytes, ordering: .relaxed) }

    /// Whether messages wait on the event loop already, so that others have to wait behind them.
    func setCrowded(_ isCrowded: Bool) { self.isCrowded.store(isCrowded, ordering: .releasing) }

    /// From now on every writer waits for the event loop, and learns there why nothing can be sent.
    func close() { isClosed.store(true, ordering: .releasing) }
}
