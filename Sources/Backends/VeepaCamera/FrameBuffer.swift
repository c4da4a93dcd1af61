import Concurrency
import Services
import Synchronization

/// The newest frames of a camera, for any number of readers.
///
/// Each reader takes frames in order at its own pace; one that is slow misses the oldest, and delays nobody. When the camera is
/// disconnected nothing that was kept can be read any more.
final class FrameBuffer: Sendable {
    private struct State {
        var frames: [VideoFrame] = []
        /// The number of the first of ``frames``; numbers go on over connections.
        var first = 0
        var isOpen = false
        /// How often it was opened: readers of an earlier connection do not see frames of a later one.
        var openings = 0
        var readers: [Int: WakeSignal] = [:]
        var nextReader = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Readers that are held by somebody.
    var readerCount: Int { state.withLock(\.readers.count) }

    var newest: VideoFrame? { state.withLock { $0.frames.last } }

    func open() {
        state.withLock {
            $0.isOpen = true
            $0.openings += 1
        }
    }

    func append(_ frame: VideoFrame) {
        change { state in
            guard state.isOpen else { return }
            if state.frames.count == capacity {
                state.frames.removeFirst()
                state.first += 1
            }
            state.frames.append(frame)
        }
    }

    /// Forgets all frames; readers wait for new ones.
    func clear() {
        change { state in
            state.first += state.frames.count
            state.frames = []
        }
    }

    /// Forgets all frames and ends all readers.
    func close() {
        clear()
        change { $0.isOpen = false }
    }

    private func change(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            return Array(state.readers.values)
        }
        for reader in readers { reader.raise() }
    }

    /// The newest frame and all later ones, until the camera is disconnected.
    func frames(limit: Int) -> FrameReader { FrameReader(self, limit: limit) }

    /// One reader of a buffer, with its own place.
    final class FrameReader: FrameStream {
        private struct Place {
            /// The number of the frame that is read next.
            var next: Int
            var dropped = 0
        }

        private let buffer: FrameBuffer
        private let limit: Int
        private let number: Int
        private let opening: Int
        private let signal = WakeSignal()
        private let place: Mutex<Place>

        fileprivate init(_ buffer: FrameBuffer, limit: Int) {
            self.buffer = buffer
            self.limit = max(1, limit)
            let signal = signal
            let start = buffer.state.withLock { state in
                defer { state.nextReader += 1 }
                state.readers[state.nextReader] = signal
                return (
                    number: state.nextReader, opening: state.openings,
                    next: state.first + max(0, state.frames.count - 1)
                )
            }
            (number, opening) = (start.number, start.opening)
            place = Mutex(Place(next: start.next))
        }

        deinit { buffer.state.withLock { $0.readers[number] = nil } }

        var dropped: Int { place.withLock(\.dropped) }

        func next() async -> VideoFrame? {
            while !Task.isCancelled {
                let (isOver, frame) = buffer.state.withLock { state -> (Bool, VideoFrame?) in
                    guard state.isOpen && state.openings == opening else { return (true, nil) }
                    let end = state.first + state.frames.count
                    return place.withLock { place in
                        let next = max(place.next, state.first, end - limit)
                        place.dropped += next - place.next
                        place.next = next
                        guard next < end else { return (false, nil) }
                        place.next += 1
                        return (false, state.frames[next - state.first])
                    }
                }
                if isOver { return nil }
                if let frame { return frame }
                _ = await signal.wait()
            }
            return nil
        }
    }
}
