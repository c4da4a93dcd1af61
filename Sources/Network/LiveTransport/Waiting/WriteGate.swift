import NIOCore
import Transport

/// Lets writers go on while their channel has room, and makes them wait while it has not.
///
/// Confined to the channel's event loop by its owner, a channel handler.
struct WriteGate {
    private var waiting: [Reply<Void>] = []

    /// Answers at once when the channel has room, else when it has again.
    mutating func admit(_ reply: Reply<Void>, to channel: any Channel) {
        if channel.isWritable {
            reply.settle(.success(()))
        } else {
            waiting.append(reply)
        }
    }

    /// Lets all waiting writers go on.
    mutating func open() {
        let released = waiting
        waiting = []
        for reply in released { reply.settle(.success(())) }
    }

    /// Tells all waiting writers that their channel is gone.
    mutating func fail(_ error: TransportError) {
        let released = waiting
        waiting = []
        for reply in released { reply.settle(.failure(error)) }
    }
}
