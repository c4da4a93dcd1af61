import NIOCore
import Transport

/// Messages that wait for their channel to have room, in order; one whose sender was cancelled is not sent.
///
/// Confined to the channel's event loop by its owner, a channel handler.
struct SendQueue {
    private struct Waiting {
        var frame: [ByteBuffer]
        var reply: Reply<Void>?
    }

    private var waiting = CircularBuffer<Waiting>()
    private var bytes = 0
    /// Where what waits counts.
    private var gauge: MemoryGauge

    /// Makes an empty queue; without a share what waits counts for nobody.
    init(_ share: MemoryShare?) { gauge = MemoryGauge(share) }

    var isEmpty: Bool { waiting.isEmpty }

    /// Keeps a frame; a sender without a reply does not wait, and cannot withdraw it.
    mutating func append(_ frame: [ByteBuffer], _ reply: Reply<Void>?) {
        waiting.append(Waiting(frame: frame, reply: reply))
        count(frame.byteCount)
    }

    /// Takes the next frame that is to be written, and lets its sender go on.
    mutating func next() -> [ByteBuffer]? {
        while let first = waiting.popFirst() {
            count(-first.frame.byteCount)
            guard let reply = first.reply else { return first.frame }
            if reply.settle(.success(())) { return first.frame }
        }
        return nil
    }

    /// Forgets the frame of a sender that was cancelled.
    mutating func withdraw(_ reply: Reply<Void>) {
        guard let index = waiting.firstIndex(where: { $0.reply === reply }) else { return }
        count(-waiting.remove(at: index).frame.byteCount)
    }

    /// Forgets all frames, and tells their senders why.
    mutating func fail(_ error: TransportError) {
        let failed = waiting
        waiting = []
        count(-bytes)
        for sender in failed { sender.reply?.settle(.failure(error)) }
    }

    private mutating func count(_ change: Int) {
        bytes += change
        gauge.set(bytes)
    }
}

extension [ByteBuffer] {
    /// Bytes of all pieces of a frame.
    var byteCount: Int { reduce(0) { $0 + $1.readableBytes } }
}
