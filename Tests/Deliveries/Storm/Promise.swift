internal import Foundation
internal import Simulation
internal import Synchronization

/// What the app has promised its user, kept outside of the device, where no crash reaches it.
///
/// It knows of each wish whether it was accepted, as far as the user was told. What happened to a wish whose acceptance was cut off is known by
/// the device alone, and then for good.
package final class Promise: Sendable {
    /// What the user knows of an operation.
    package enum Answer: Sendable, Hashable {
        /// It has returned.
        case yes
        /// It has failed, and so did nothing.
        case no
        /// The process ended meanwhile.
        case unknown
    }

    /// What somebody asked for.
    package struct Wish: Sendable, Hashable {
        /// The kinds, by what may become of them.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A file for the store.
            case file
            /// Words, each of its own.
            case comment
            /// Words that the service does not take.
            case refused
            /// Words that supersede the earlier ones of their lane.
            case like
            /// Words that replace the earlier ones, also in work.
            case profile
            /// Words that are wanted for a short time.
            case brief
        }

        /// Which wish of the run it is.
        package var number: Int
        /// Its kind.
        package var kind: Kind
        /// Under what name it is in the queue.
        package var identity: String
        /// Its lane, where it has one.
        package var lane: String?
        /// Bytes of its file.
        package var bytes: [UInt8] = []
        /// Whether it was accepted.
        package var acceptance = Answer.unknown
        /// Whether it was taken back, where somebody asked for that.
        package var cancellation: Answer?
        /// Whether it has failed for good and was tried again, so that others of its lane may have overtaken it.
        package var wasRetried = false
        /// Whether it may take effect late, in any order, once it is dropped: it was taken back with a newer one, or the process ended
        /// during an attempt, and after some such ends it is set aside.
        package var mayBeLate = false
    }

    private struct State {
        var wishes: [Int: Wish] = [:]
        var processes = 0
        /// The process that has the queue.
        var newest = 0
        var violations: [String] = []
    }

    private let state = Mutex(State())

    /// All wishes, by their numbers.
    package var wishes: [Wish] { state.withLock { $0.wishes.values.sorted { $0.number < $1.number } } }

    /// What was done that nobody may do, at the time when it was done.
    package var violations: [String] { state.withLock { $0.violations } }

    /// Notes what is asked for, before it is.
    package func ask(_ wish: Wish) { state.withLock { $0.wishes[wish.number] = wish } }

    /// Notes something of a wish.
    package func note(_ number: Int, _ change: (inout Wish) -> Void) {
        state.withLock { state in
            guard var wish = state.wishes[number] else { return }
            change(&wish)
            state.wishes[number] = wish
        }
    }

    // MARK: What the device does

    /// The number of a process that is about to start.
    func nextProcess() -> Int {
        state.withLock { state in
            state.processes += 1
            return state.processes
        }
    }

    /// The process that was started last has the queue now.
    func processHasQueue() { state.withLock { $0.newest = $0.processes } }

    /// An attempt of a process is about to reach its service.
    func sends(_ delivery: Delivery, by process: Int) {
        state.withLock { state in
            if process != state.newest {
                state.violations.append(
                    "process \(process) sends wish \(delivery.number), and \(state.newest) has the queue"
                )
            }
            if state.wishes[delivery.number]?.cancellation == .yes {
                state.violations.append("wish \(delivery.number) is sent after it was taken back")
            }
        }
    }
}
