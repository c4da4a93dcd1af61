public import Exploration

/// All programs of the zoo.
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
