import Dispatch
import Foundation
import Synchronization

/// The user's wish to stop: Ctrl-C, or a polite kill.
///
/// The first one is a request; a second one ends the process at once.
final class StopRequest: Sendable {
    private let stream: AsyncStream<Void>
    private let requested = Flag()

    private final class Flag: Sendable {
        let isRaised = Atomic(false)
    }
    private let sources: Sources

    private struct Sources: @unchecked Sendable {
        // Invariant that makes this Sendable: held, and never touched again.
        var all: [any DispatchSourceSignal] = []
    }

    init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        let requested = requested
        let made = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if requested.isRaised.exchange(true, ordering: .relaxed) { _exit(130) }
                continuation.finish()
            }
            source.resume()
            return source
        }
        sources = Sources(all: made)
    }

    /// Whether it was asked for.
    var isRequested: Bool { requested.isRaised.load(ordering: .relaxed) }

    /// Returns when it is asked for, or when the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
