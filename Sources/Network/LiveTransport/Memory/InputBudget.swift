import Synchronization

/// The memory that all connections of a listener together may use for what their peers make them store.
///
/// Counted are heads and bodies on their way to the server, WebSocket messages that are not whole, messages that nobody has
/// read, and what peers do not take. When the sum exceeds the capacity, the connection that holds most gives up what
/// it holds, and its peer gets the answer to come back later, so that a peer that holds little is not disturbed by those
/// that hold much.
///
/// Not counted are WebSocket messages that wait behind others which the peer does not take, one of each sending task. What a
/// connection was asked to give up counts as given up at once; of a head that is not whole it stays until the connection is
/// closed. What the session of an ended connection has not read stays counted, and others have to make room for it.
///
/// Reading goes on until the connection has given up its memory on its own event loop: the sum can exceed the capacity
/// by what the connections read in one turn of their loops.
final class InputBudget: Sendable {
    private let capacity: Int
    private let total = Atomic(0)
    private let shares = Mutex<[ObjectIdentifier: MemoryShare]>([:])

    /// Makes a budget of so many bytes.
    init(capacity: Int) { self.capacity = capacity }

    /// The share of a new connection, which ends with ``MemoryShare/end()``.
    func share() -> MemoryShare {
        let share = MemoryShare(self)
        shares.withLock { $0[ObjectIdentifier(share)] = share }
        return share
    }

    /// Bytes that are held now.
    var held: Int { total.load(ordering: .relaxed) }

    fileprivate func change(by bytes: Int) {
        let sum = total.add(bytes, ordering: .relaxed).newValue
        if bytes > 0, sum > capacity { relieve() }
    }

    fileprivate func remove(_ share: MemoryShare) {
        _ = shares.withLock { $0.removeValue(forKey: ObjectIdentifier(share)) }
    }

    /// Has as many of the largest shares given up as it takes to be within the capacity.
    private func relieve() {
        let chosen = shares.withLock { shares in
            var excess = held - capacity
            var chosen: [MemoryShare] = []
            // What was chosen before and has not given up yet is on its way.
            for share in shares.values where share.isGivenUp { excess -= share.held }
            while excess > 0 {
                let largest = shares.values.filter { !$0.isGivenUp }.max { $0.held < $1.held }
                guard let largest, largest.held > 0 else { break }
                largest.isGivenUp = true
                excess -= largest.held
                chosen.append(largest)
            }
            return chosen
        }
        for share in chosen { share.giveUp() }
    }
}

/// What one connection holds of its listener's budget.
final class MemoryShare: Sendable {
    private let budget: InputBudget
    private let bytes = Atomic(0)
    private let hasGivenUp = Atomic(false)
    private let onGiveUp = Mutex<(@Sendable () -> Void)?>(nil)

    fileprivate init(_ budget: InputBudget) { self.budget = budget }

    /// Bytes that the connection holds now.
    var held: Int { bytes.load(ordering: .relaxed) }

    /// The connection holds so many bytes more.
    func add(_ count: Int) {
        guard count != 0 else { return }
        bytes.add(count, ordering: .relaxed)
        budget.change(by: count)
    }

    /// The connection holds so many bytes less.
    func remove(_ count: Int) {
        guard count != 0 else { return }
        bytes.subtract(count, ordering: .relaxed)
        budget.change(by: -count)
    }

    /// Says who gives up what the connection holds, called on any thread and at most once; at once where that was asked for before.
    func whenGivenUp(_ action: @escaping @Sendable () -> Void) {
        onGiveUp.withLock { $0 = action }
        if isGivenUp { giveUp() }
    }

    /// The connection has ended.
    func end() {
        onGiveUp.withLock { $0 = nil }
        budget.remove(self)
    }

    fileprivate var isGivenUp: Bool {
        get { hasGivenUp.load(ordering: .relaxed) }
        set { hasGivenUp.store(newValue, ordering: .relaxed) }
    }

    fileprivate func giveUp() { onGiveUp.withLock { $0.take() }?() }
}

/// A part of a share that is set to what there is now.
///
/// Confined to the connection's event loop by its owner, a channel handler.
struct MemoryGauge {
    private let share: MemoryShare?
    private var bytes = 0

    /// Makes a gauge that shows nothing; without a share it counts for nobody.
    init(_ share: MemoryShare?) { self.share = share }

    mutating func set(_ bytes: Int) {
        guard let share, bytes != self.bytes else { return }
        let change = bytes - self.bytes
        self.bytes = bytes
        if change > 0 { share.add(change) } else { share.remove(-change) }
    }
}
