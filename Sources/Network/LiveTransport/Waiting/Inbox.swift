import NIOCore
import Synchronization
import Transport

/// Hands what arrives on an event loop to one reading task, with bounds.
///
/// The event loop asks ``hasRoom()`` before it reads more from the socket; once the answer was no, `onRoom` is
/// called when the reader has taken half of what was stored.
final class Inbox<Element: Sendable, End: Sendable>: Sendable {
    /// What a reader gets.
    enum Taken: Sendable {
        case element(Element)
        case end(End)
        case cancelled
    }

    private struct State {
        var stored = CircularBuffer<(element: Element, weight: Int)>()
        var weight = 0
        var end: End?
        var reader: CheckedContinuation<Taken, Never>?
        var stalled = false
        /// Whether the share knows how to discard what is stored.
        var isKept = false

        /// Stores the element, or returns the reader that waits for it, to be resumed with it.
        mutating func deliver(_ element: Element, weight: Int) -> CheckedContinuation<Taken, Never>? {
            guard end == nil else { return nil }
            if let reader {
                self.reader = nil
                return reader
            }
            stored.append((element, weight))
            self.weight += weight
            return nil
        }
    }

    private let state = Mutex(State())
    private let countLimit: Int
    private let weightLimit: Int
    private let onRoom: @Sendable () -> Void
    /// Where what is stored counts.
    private let share: MemoryShare?
    /// The end where something was discarded.
    private let lost: End

    /// Makes an empty inbox.
    ///
    /// - Parameters:
    ///   - countLimit: Stored elements at which there is no more room, at least 1.
    ///   - weightLimit: Stored bytes at which there is no more room, at least 1.
    ///   - share: Where what is stored counts.
    ///   - lost: The end where something was discarded.
    ///   - onRoom: Called from the reading task when a stalled writer may go on.
    init(
        countLimit: Int,
        weightLimit: Int,
        share: MemoryShare? = nil,
        lost: End,
        onRoom: @escaping @Sendable () -> Void = {}
    ) {
        self.share = share
        self.lost = lost
        self.countLimit = max(countLimit, 1)
        self.weightLimit = max(weightLimit, 1)
        self.onRoom = onRoom
    }

    deinit {
        share?.remove(state.withLock { $0.weight })
        share?.forget(ObjectIdentifier(self))
    }

    /// Whether the writer may add more; after `false`, `onRoom` will be called.
    func hasRoom() -> Bool {
        state.withLock { state in
            let room = state.stored.count < countLimit && state.weight < weightLimit
            if !room { state.stalled = true }
            return room
        }
    }

    /// Adds an element; does nothing after the end.
    func push(_ element: Element, weight: Int) {
        let (reader, stored, isFirst): (CheckedContinuation<Taken, Never>?, Int, Bool) = state.withLock {
            state in
            let before = state.weight
            let reader = state.deliver(element, weight: weight)
            let stored = state.weight - before
            let isFirst = stored > 0 && !state.isKept
            if isFirst { state.isKept = true }
            return (reader, stored, isFirst)
        }
        if isFirst { share?.keep(ObjectIdentifier(self)) { [weak self] in self?.discard() } }
        share?.add(stored)
        reader?.resume(returning: .element(element))
    }

    /// Forgets what is stored, if anything: the reader gets the end of what was lost, also where another one was next.
    func discard() {
        let weight = state.withLock { state in
            if !state.stored.isEmpty { state.end = lost }
            defer {
                state.stored = []
                state.weight = 0
            }
            return state.weight
        }
        share?.remove(weight)
    }

    /// Ends the sequence, once; what is stored stays readable.
    func finish(_ end: End) {
        let reader: CheckedContinuation<Taken, Never>? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: .end(end))
    }

    /// Takes the next element, or the end again and again.
    ///
    /// One task at a time may wait.
    func take() async -> Taken {
        if Task.isCancelled { return .cancelled }
        let taken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let ready = takeNow(orWait: continuation) { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: .cancelled)
        }
        return taken
    }

    private func takeNow(orWait continuation: CheckedContinuation<Taken, Never>) -> Taken? {
        let (taken, roomMade, freed): (Taken?, Bool, Int) = state.withLock { state in
            if let first = state.stored.popFirst() {
                state.weight -= first.weight
                let made =
                    state.stalled && state.stored.count <= countLimit / 2 && state.weight <= weightLimit / 2
                if made { state.stalled = false }
                return (.element(first.element), made, first.weight)
            }
            if let end = state.end { return (.end(end), false, 0) }
            // The cancellation handler may have run before the reader was registered.
            if Task.isCancelled { return (.cancelled, false, 0) }
            precondition(state.reader == nil, "Only one task at a time may receive.")
            state.reader = continuation
            return (nil, false, 0)
        }
        share?.remove(freed)
        if roomMade { onRoom() }
        return taken
    }
}
