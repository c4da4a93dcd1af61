internal import Synchronization

/// Streams that all get the same, from when they begin.
package final class PushReaders<Element: Sendable>: Sendable {
    private let state = Mutex<(count: Int, readers: [Int: AsyncStream<Element>.Continuation])>((0, [:]))
    private let buffering: AsyncStream<Element>.Continuation.BufferingPolicy

    /// Has no stream yet.
    ///
    /// - Parameter buffering: What waits for a reader that is behind.
    package init(buffering: AsyncStream<Element>.Continuation.BufferingPolicy) { self.buffering = buffering }

    /// Sends something to all streams.
    package func send(_ element: Element) {
        state.withLock { state in for reader in state.readers.values { reader.yield(element) } }
    }

    /// Begins a stream; it ends with its reader's task.
    ///
    /// - Parameter first: What it begins with.
    package func stream(beginningWith first: Element? = nil) -> AsyncStream<Element> {
        let (stream, reader) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
        let number = state.withLock { state in
            state.count += 1
            if let first { reader.yield(first) }
            state.readers[state.count] = reader
            return state.count
        }
        reader.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }
}
