internal import Synchronization

/// Notifications that a person has tapped: each is given to one reader, and waits for one.
///
/// Implementations of ``PushReceiver`` keep their taps in one. Safe to use from any task.
public final class PushTaps: Sendable {
    private struct State {
        var waiting: [PushNotification] = []
        var reader: (number: Int, AsyncStream<PushNotification>.Continuation)?
        var readers = 0
    }

    /// How many wait for a reader; past that the oldest is forgotten.
    private static let limit = 100

    private let state = Mutex(State())

    /// Nothing was tapped yet.
    public init() {}

    /// Takes a tap: the reader gets it now, or the next one when it comes.
    public func tap(_ notification: PushNotification) {
        state.withLock { state in
            if let reader = state.reader {
                reader.1.yield(notification)
            } else {
                state.waiting = state.waiting.suffix(Self.limit - 1) + [notification]
            }
        }
    }

    /// What waits, and then each tap; a later reader takes over.
    ///
    /// Ends with the reader's task.
    public func stream() -> AsyncStream<PushNotification> {
        let (stream, reader) = AsyncStream.makeStream(of: PushNotification.self)
        let number = state.withLock { state in
            state.readers += 1
            for tapped in state.waiting { reader.yield(tapped) }
            state.waiting = []
            state.reader = (state.readers, reader)
            return state.readers
        }
        reader.onTermination = { [weak self] _ in
            self?.state.withLock { if $0.reader?.number == number { $0.reader = nil } }
        }
        return stream
    }
}
