package import NIOCore
import Synchronization

/// The memory that all connections of a listener together may use for what their peers make them store.
///
/// Counted are heads and bodies on their way to the server, WebSocket messages that are not whole, messages that nobody has
/// read, messages that wait to be sent, and what peers do not take. When the sum exceeds the capacity, a connection gives up
/// what it holds, and its peer gets the answer to come back later where it takes one.
///
/// At each moment the sum is what each open connection holds (what is not whole and not read, what waits to be sent, what its
/// peer does not take), and what the server has not read of those that have ended. Nothing counts twice when it passes from
/// one of these to the next, and what is gone stops counting: what a peer has taken within
/// 64 KiB, all else at once. Only ``MemoryShare`` changes the sum, by what it changes itself, so that it is that of all shares.
///
/// A connection that holds no more than its part, the capacity divided by the connections that hold anything, is not chosen.
/// Of those that hold more, it is the one whose bytes have been held longest, summed (``Occupancy/claim(at:)``): rather one
/// that stands still than one with a large message that is whole soon, and rather one that fills the memory than a slow one.
/// Many that come at once with more than their part each can still meet one that does the same in good faith, which then
/// has to come back.
///
/// What the server has not read of a connection that has ended stays counted, and is given up before what open ones hold: no
/// peer waits for it. All that have ended count as one when parts are made, and have one part together: there may be any number of
/// them, which must not leave nothing to those that are open. Whoever reads then gets an error instead of the rest, never a regular end.
///
/// Not counted is what the server has taken: a body that it collects, the WebSocket message that a session has received, and the frame
/// that a sending task has made until the event loop has it; nor are requests that were decoded behind the one that is being answered, which were at most
/// 1 KiB. Heads of requests count as twice their bytes while the
/// request is on its way, which is roughly what their fields take.
///
/// The sum can exceed the capacity by what the connections read until those that were chosen have given up, which each does
/// in the next turn of its event loop. Until then what they hold is taken off the excess; what they still hold
/// afterwards is not.
package final class InputBudget: Sendable {
    private let capacity: Int
    private let clock: @Sendable () -> NIODeadline
    private let total = Atomic(0)
    private let shares = Mutex<[ObjectIdentifier: MemoryShare]>([:])

    /// Makes a budget of so many bytes.
    package init(capacity: Int, clock: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.capacity = capacity
        self.clock = clock
    }

    var now: NIODeadline { clock() }

    /// The share of a new connection, which ends with ``MemoryShare/end()``.
    package func share() -> MemoryShare {
        let share = MemoryShare(self)
        shares.withLock { $0[ObjectIdentifier(share)] = share }
        return share
    }

    /// Bytes that are held now.
    package var held: Int { total.load(ordering: .relaxed) }

    func change(by bytes: Int) {
        let sum = total.add(bytes, ordering: .relaxed).newValue
        if bytes > 0, sum > capacity { relieve() }
    }

    /// The share has ended and holds nothing.
    func remove(_ share: MemoryShare) {
        _ = shares.withLock { $0.removeValue(forKey: ObjectIdentifier(share)) }
    }

    /// A share that was chosen has given up what it could.
    func relieveAgain() {
        if held > capacity { relieve() }
    }

    /// Has as many shares given up as it takes to be within the capacity: of those that hold more than their part, the ones with
    /// the largest claims first.
    private func relieve() {
        let chosen = shares.withLock { shares in
            let now = now
            // The sum of the shares, not the total, which others change meanwhile: bytes that were just given up must not
            // count as those of a share that remains. What was chosen before is on its way.
            let candidates = shares.values.filter { !$0.isAsked }.map { $0.candidate(at: now) }.filter {
                $0.bytes > 0
            }
            var excess = candidates.reduce(-capacity) { $0 + $1.bytes }
            if excess <= 0 { return [MemoryShare]() }
            let (open, ended) = (candidates.filter { !$0.isEnded }, candidates.filter { $0.isEnded })
            // Without those that hold more, the others together are within the capacity.
            let part = capacity / (open.count + (ended.isEmpty ? 0 : 1))
            var chosen: [MemoryShare] = []
            func choose(_ candidate: MemoryShare.Candidate) {
                candidate.share.ask()
                excess -= candidate.bytes
                chosen.append(candidate.share)
            }
            var endedBytes = ended.reduce(0) { $0 + $1.bytes }
            for candidate in ended.sorted(by: { $0.claim > $1.claim }) where excess > 0 && endedBytes > part {
                endedBytes -= candidate.bytes
                choose(candidate)
            }
            for candidate in open.filter({ $0.bytes > part }).sorted(by: { $0.claim > $1.claim })
            where excess > 0 {
                choose(candidate)
            }
            return chosen
        }
        for share in chosen { share.giveUp() }
    }
}
