package import NIOCore
import Synchronization

/// What one connection holds of its listener's budget.
package final class MemoryShare: Sendable {
    /// Gives up what the connection holds, and says when that is done, on the same event loop.
    package typealias GiveUp = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Holders {
        /// Who gives up what the connection holds, and where.
        var giver: (loop: any EventLoop, action: GiveUp)?
        /// What is stored for readers, each with how it is discarded.
        var stores: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let budget: InputBudget
    private let occupancy: Mutex<Occupancy>
    private let asked = Atomic(false)
    private let ended = Atomic(false)
    private let holders = Mutex(Holders())

    init(_ budget: InputBudget) {
        self.budget = budget
        occupancy = Mutex(Occupancy(at: budget.now))
    }

    /// Bytes that the connection holds now.
    package var held: Int { occupancy.withLock { $0.bytes } }

    /// The connection holds so many bytes more.
    package func add(_ count: Int) {
        guard count != 0 else { return }
        let now = budget.now
        occupancy.withLock { $0.add(count, at: now) }
        budget.change(by: count)
    }

    /// The connection holds so many bytes less.
    package func remove(_ count: Int) {
        guard count != 0 else { return }
        let now = budget.now
        let left = occupancy.withLock { occupancy in
            occupancy.remove(count, at: now)
            return occupancy.bytes
        }
        budget.change(by: -count)
        if left == 0, isEnded { budget.remove(self) }
    }

    /// Says who gives up what the connection holds: called on the event loop each time the connection was chosen, at once
    /// where it was before.
    ///
    /// The first time the peer may get an answer; who still holds something when it is chosen once more has to cut the connection.
    package func whenGivenUp(on loop: any EventLoop, _ action: @escaping GiveUp) {
        holders.withLock { $0.giver = (loop, action) }
        if isAsked { giveUp() }
    }

    /// Keeps how the store is discarded, until it is forgotten.
    func keep(_ store: ObjectIdentifier, discard: @escaping @Sendable () -> Void) {
        holders.withLock { $0.stores[store] = discard }
    }

    /// The store is gone.
    func forget(_ store: ObjectIdentifier) {
        _ = holders.withLock { $0.stores.removeValue(forKey: store) }
    }

    /// Discards what is stored for readers.
    func discardStored() {
        let stores = holders.withLock { Array($0.stores.values) }
        for discard in stores { discard() }
    }

    /// The connection has ended; what its readers have not taken still counts.
    package func end() {
        holders.withLock { $0.giver = nil }
        ended.store(true, ordering: .sequentiallyConsistent)
        asked.store(false, ordering: .sequentiallyConsistent)
        if held == 0 { budget.remove(self) } else { budget.relieveAgain() }
    }

    // MARK: Being chosen

    /// Whether it was chosen and has not given up yet.
    var isAsked: Bool { asked.load(ordering: .sequentiallyConsistent) }

    /// What the share is, when shares are compared.
    struct Candidate {
        var share: MemoryShare
        var bytes: Int
        var isEnded: Bool
        var claim: Double
    }

    func candidate(at now: NIODeadline) -> Candidate {
        let (isEnded, occupancy) = (isEnded, occupancy.withLock(\.self))
        return Candidate(
            share: self,
            bytes: occupancy.bytes,
            isEnded: isEnded,
            claim: occupancy.claim(at: now)
        )
    }

    func ask() { asked.store(true, ordering: .sequentiallyConsistent) }

    func giveUp() {
        if isEnded {
            discardStored()
            asked.store(false, ordering: .sequentiallyConsistent)
        } else if let giver = holders.withLock({ $0.giver }) {
            giver.loop.execute {
                // Done before, or nothing is left to give up: the connection may go on.
                guard self.isAsked else { return }
                guard self.held > 0 else {
                    self.asked.store(false, ordering: .sequentiallyConsistent)
                    return self.budget.relieveAgain()
                }
                giver.action {
                    // What is left counts again.
                    self.asked.store(false, ordering: .sequentiallyConsistent)
                    self.budget.relieveAgain()
                }
            }
        }
    }

    private var isEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }
}
