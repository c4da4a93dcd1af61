import NIOCore
import Transport

/// Messages that wait for their channel to have room, in order; one whose sender was cancelled is not sent.
///
/// Confined to the channel's event loop by its owner, a channel handler.
struct SendQueue {
    private struct Waiting {
        var frame: ByteBuffer
        var reply: Reply<Void>?
    }

    private var waiting = CircularBuffer<Waiting>()

    var isEmpty: Bool { waiting.isEmpty }

    /// Keeps a frame; a sender without a reply does not wait, and cannot withdraw it.
    mutating func append(_ frame: ByteBuffer, _ reply: Reply<Void>?) {
        waiting.append(Waiting(frame: frame, reply: reply))
    }

    /// Takes the next frame that is to be written, and lets its sender go on.
    mutating func next() -> ByteBuffer? {
        while let first = waiting.popFirst() {
            guard let reply = first.reply else { return first.frame }
            if reply.settle(.success(())) { return first.frame }
        }
        return nil
    }

    /// Forgets the frame of a sender that was cancelled.
    mutating func withdraw(_ reply: Reply<Void>) { waiting.removeAll { $0.reply === reply } }

    /// Forgets all frames, and tells their senders why.
    mutating func fail(_ error: TransportError) {
        let failed = waiting
        waiting = []
        for sender in failed { sender.reply?.settle(.failure(error)) }
    }
}
