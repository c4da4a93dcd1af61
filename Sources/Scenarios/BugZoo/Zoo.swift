public import Exploration

/// All programs of the zoo.
///
/// In the sources of the bugs that an order of steps or a cancellation brings out, comments at the ends of lines mark the race,
/// so that a test can compare what the tools name with what people know by reading: `// race: early` is at a line that comes
/// too early in a run that fails, `// race: late` at one that it should not have come before, and `// race: early, late` at one
/// that may be either, as where something must not come between two others. A side has several lines where they are the same
/// access: the call, what the callee does, and what stands between an `await` and the access, since a task goes on from there.
/// The tools do not know these comments. `failed-flight` has none: no order of steps decides whether it fails.
public enum Zoo {
    /// The program or the fixed version of that name.
    public static func program(named name: String) -> Program? {
        (all + trapping).flatMap { [$0.buggy, $0.fixed] }.first { $0.name == name }
    }

    /// In the order in which they are listed.
    public static let all: [ZooProgram] = [
        .lostUpdate, .reentrantCache, .reentrantWithdrawal, .doubleRefresh, .checkThenAct, .lateSubscriber,
        .droppedElement, .mainActorOrder, .timeoutRace, .staleSearch, .doubleTap, .lazyInit, .lostWakeUp,
        .abaStack,
        .crossedLocks, .writeAfterClose, .optimisticRollback, .pageShift, .debounceLast, .failedFlight,
        .halfTransfer,
        .staleRead, .unboundedQueue,
        .unreleasedSlot, .leakedWaiter, .orphanedWork,
        .duplicateDatagram, .reorderedDatagram, .retryTwice, .halfOpen, .cutBody, .splitBrain, .rarePair,
        .effectWithoutRecord,
        .deletedJournal, .forgottenSync, .tornRecord, .renameBeforeSync, .sequenceReuse,
        .clockStep, .leaseExpiry,
    ]

    /// Programs whose bugs end the process: for sweeps that give each seed a process of its own.
    public static let trapping: [ZooProgram] = [.staleIndex]
}
