/// How likely the faults of a disk are, each time that they could happen.
public struct DiskConditions: Sendable, Hashable {
    /// In the order of the cases of ``DiskFault``.
    private(set) var probabilities = DiskFault.allCases.map { _ in 0.0 }
    /// How long a slow sync takes.
    public var slowSyncTime = Duration.seconds(1)

    /// A disk without faults, whose unsynced writes all survive a loss of power.
    public init() {}

    /// The probability, 0…1, of one fault; 0 at first.
    public subscript(fault: DiskFault) -> Double {
        get { probabilities[fault.index] }
        set { probabilities[fault.index] = newValue }
    }

    /// Volatile writes, as every program must expect them: when the power goes, about half of what was not synced is lost or torn.
    public static let losingUnsyncedWrites: DiskConditions = {
        var conditions = DiskConditions()
        conditions[.lostWrite] = 0.4
        conditions[.tornWrite] = 0.3
        conditions[.lostEntry] = 0.3
        return conditions
    }()

    var isValid: Bool { probabilities.allSatisfy { (0...1).contains($0) } && slowSyncTime >= .zero }
}

/// What a disk may do; the order is that of `csd_fault`.
public enum DiskFault: String, Sendable, Hashable, Codable, CaseIterable {
    /// A read fails.
    case readError = "read error"
    /// A write fails, and nothing of it has happened.
    case writeError = "write error"
    /// A sync fails, and what it should have made durable never will be.
    case syncError = "sync error"
    /// A write finds no room.
    case noSpace = "no space"
    /// A bit of what is read has changed, for good.
    case bitFlip = "bit flip"
    /// A sync is acknowledged and does nothing: the data stays volatile.
    case ignoredSync = "ignored sync"
    /// A sync takes long.
    case slowSync = "slow sync"
    /// The power goes: an unsynced write is lost.
    case lostWrite = "lost write"
    /// The power goes: any sectors of an unsynced write are lost.
    case tornWrite = "torn write"
    /// The power goes: an unsynced change of the folder is lost, and all after it.
    case lostEntry = "lost entry"

    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
