internal import Dispatch
internal import Foundation

/// The user's wish to stop: Ctrl-C, or a polite kill; a second one ends the process at once.
public final class StopSignals {
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>

    /// Listens from now on.
    public init() {
        let (signals, heard) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if case .dropped = heard.yield() { _exit(130) }
            }
            source.resume()
            return source
        }
    }

    /// Returns when it is asked for.
    public func wait() async {
        for await _ in signals { return }
    }
}
