import CSimulatedDisk
public import Simulation

/// The disk of one node: files by name, and databases of SQLite, which survive the node's crashes.
///
/// What it models:
/// - Two states of every byte: what the program has written, and what is durable. A write is volatile until the file is
///   synced; a crash of the node's process leaves it, a loss of power decides it, also one that comes after the crash.
///   Nothing becomes durable by itself, however long ago and however much was written: unsynced writes stay in memory.
/// - The end of the process. From a crash or a loss of power until the node's restart whatever is tried fails, by name
///   (``DiskError/Code/nodeDown``) as well as in SQLite: so the rest of a step that a loss of power has struck changes
///   nothing any more. Databases that were open stay broken after the restart, and their locks are gone. Names and sizes
///   can be looked at all the time, for those who test.
/// - One flat folder. Creating, removing and renaming a file is volatile until the folder is synced; creating also until
///   the file itself is. Such changes become durable in their order, as with a file system that journals them.
/// - Databases of SQLite, in rollback-journal and in WAL mode, over the same bytes: a VFS underneath, so that it is the
///   real SQLite, its locks and its shared memory. Give ``databasePath(_:)`` to GRDB. While SQLite waits for a lock virtual
///   time passes and nobody else runs, so that a busy timeout ends in `SQLITE_BUSY` once its time is over.
/// - When each file was last changed, by the wall clock of the node. When the power goes the time is that of the last write
///   that got through.
/// - Room: that of a removed file is free once its removal is durable, and want of room makes it so. A file has at most
///   1 GiB, since it lies in memory.
///
/// Its faults (``DiskConditions``), each decided by a fault source of the node's name:
/// - When the power goes, each unsynced write may be lost, whichever others get through, so that writes are reordered; or
///   torn, so that any of its sectors get through, and the others do not. A sector of 512 bytes is always whole, and bytes
///   beside a write are never touched. Each change of the folder may be lost, and then all after it are.
/// - Reads, writes and syncs fail. After a failed sync what it should have made durable never will be, although a second
///   sync succeeds: that is how Linux behaves (Rebello et al.: Can Applications Recover from fsync Failures?, 2020). After
///   a failed sync of the folder a second one does its work.
/// - No room: by chance, or since ``capacity`` is used up.
/// - A bit of what is read has changed, for good.
/// - Syncs that take long: virtual time passes. Syncs that are acknowledged falsely: nothing becomes durable, and no
///   error is reported.
/// - The power goes at a certain change of the disk: ``powerOff(atChange:)``.
///
/// What it does not model: a system that gradually writes back what no program has synced, folders in folders,
/// permissions, times of files other than that of the last change, memory mapping, direct access, wear. Reads cost no time. SQLite's temporary files, in
/// which it sorts and vacuums, have no name that would tell whose they are: they lie on the machine's own disk, where
/// no fault of this one reaches them; no program finds them again in either world.
///
/// How it was compared with the real one: the same statements on SQLite leave the same database, byte for byte, on a
/// faultless simulated disk and on the system's file system, in four journal modes, and the same WAL but for its random
/// salts and what is computed from them. What a real disk does when its power goes was not measured; the model allows
/// everything that SQLite's own documentation says to expect.
@safe public final class SimulatedDisk: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// The node to which it belongs.
    public let node: Node
    /// How likely its faults are.
    public var conditions = DiskConditions() {
        didSet { precondition(conditions.isValid, "probabilities are from 0 to 1, and times not negative") }
    }

    private let disk: OpaquePointer
    private let number: UInt64
    private unowned let simulation: Simulation
    private let sources: [FaultSource]
    private var cutAt: UInt64?

    /// Makes an empty disk; a node has at most one.
    ///
    /// - Precondition: A simulation is current, the node is one of its, and has no disk.
    public init(node: Node) {
        guard let simulation = Simulation.current else {
            preconditionFailure("a simulated disk needs a simulation: make it inside one")
        }
        self.node = node
        self.simulation = simulation
        sources = DiskFault.allCases.map { simulation.claimFaultSource("\($0.rawValue) \(node.name)") }
        csd_install_vfs()
        let context = Context()
        // The same in each run of a seed, since paths stand in errors.
        number = UInt64(simulation.nodeNames.firstIndex(of: node.name) ?? 0)
        unsafe disk = csd_make(
            decide,
            watch,
            wait,
            clock,
            Unmanaged.passUnretained(context).toOpaque(),
            number
        )
        unsafe context.disk = self
        // The test's own node never crashes: what it holds lives exactly as long as the simulation.
        simulation.node("test").onEnd { [self, context] in _ = (self, context) }
        node.onPowerOff { [unowned self] in unsafe csd_cut_power(disk) }
        node.onEveryEnd { [unowned self] in unsafe csd_end_life(disk) }
        node.onRestart { [unowned self] in unsafe csd_begin_life(disk) }
        if !node.isAlive { unsafe csd_end_life(disk) }
        simulation.onHeal { [unowned self] in heal() }
    }

    deinit { unsafe csd_release(disk) }

    private func heal() {
        conditions = DiskConditions()
        capacity = nil
        keepPower()
    }

    // MARK: Databases

    /// The path under which SQLite finds a database on this disk.
    public func databasePath(_ name: String) -> String { "simulated-disk-\(number)/\(name)" }

    /// Whether the VFS reports to SQLite that bytes beside a write are left alone when the power goes, as the system’s VFS does.
    ///
    /// Where it is not, it pads its WAL to whole sectors (`SQLITE_IOCAP_POWERSAFE_OVERWRITE`). Databases that are opened from
    /// then on see the change.
    public var isPowersafe = true {
        didSet { unsafe csd_set_powersafe(disk, isPowersafe) }
    }

    // MARK: Power

    /// Cuts the power of the node: see `Node.powerOff()`.
    public func powerOff() { node.powerOff() }

    /// Lets the power go in the middle of the n-th change of the disk from now on, counted from 1, unless all is healed
    /// before.
    public func powerOff(atChange count: UInt64) {
        precondition(count > 0, "changes are counted from 1")
        cutAt = changes + count
    }

    /// Takes back ``powerOff(atChange:)``.
    public func keepPower() { cutAt = nil }

    /// Writes, syncs and changes of the folder so far.
    public var changes: UInt64 { unsafe csd_changes(disk) }

    /// Bytes that a loss of power may take.
    public var unsyncedBytes: Int64 { unsafe csd_unsynced(disk) }

    /// Bytes that files take, those also whose removal is not durable yet; a write that lacks room makes it durable first.
    public var usedBytes: Int64 { unsafe csd_used(disk) }

    /// Bytes that files may take together; `nil` for no limit, as after everything was healed.
    public var capacity: Int64? {
        didSet { unsafe csd_set_capacity(disk, capacity ?? .max) }
    }

    fileprivate func fires(_ fault: csd_fault) -> UInt64? {
        let index = Int(fault.rawValue)
        guard var chance = sources[index].fires(probability: conditions.probabilities[index]) else {
            return nil
        }
        if fault == CSD_SLOW_SYNC { simulation.passTime(conditions.slowSyncTime) }
        return chance.next()
    }

    fileprivate func passTime(_ time: Duration) { simulation.passTime(time) }

    fileprivate var wallTime: Duration { node.clock.time }

    fileprivate func changed(_ change: UInt64) {
        guard change == cutAt else { return }
        cutAt = nil
        node.powerOff()
    }

    // MARK: Files

    /// The names of all files, in order of creation.
    public var names: [String] {
        var names: [String] = []
        while let name = unsafe csd_name_at(disk, UInt32(names.count)) {
            names.append(unsafe String(cString: name))
        }
        return names
    }

    /// The size of a file in bytes; `nil` when there is none.
    public func size(of name: String) -> Int? {
        let size = unsafe csd_size(disk, name)
        return size < 0 ? nil : Int(size)
    }

    /// When the bytes of a file were last changed, since the start of 1970 in UTC by the wall clock of the node.
    ///
    /// - Throws: ``DiskError``.
    public func modificationTime(of name: String) throws(DiskError) -> Duration {
        var time: Int64 = 0
        try check(unsafe csd_modified(disk, name, &time), "look up the time of", name)
        return .nanoseconds(time)
    }

    /// Reads a whole file.
    ///
    /// - Throws: ``DiskError``.
    public func read(_ name: String) throws(DiskError) -> [UInt8] { try read(name, from: 0, count: .max) }

    /// Reads a part of a file: `count` bytes from `offset` on, fewer where it ends.
    ///
    /// - Precondition: Neither number is negative.
    /// - Throws: ``DiskError``.
    public func read(_ name: String, from offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        precondition(offset >= 0 && count >= 0, "a part begins at 0 or behind it, and has 0 bytes or more")
        let rest = max(0, (size(of: name) ?? 0) - offset)
        var bytes = [UInt8](repeating: 0, count: min(count, rest))
        let wanted = Int64(bytes.count)
        let status = unsafe bytes.withUnsafeMutableBytes { buffer in
            // A buffer of no bytes may have no address.
            var none: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &none) {
                unsafe csd_read(
                    disk,
                    name,
                    buffer.baseAddress ?? UnsafeMutableRawPointer($0),
                    wanted,
                    Int64(offset)
                )
            }
        }
        try check(status, "read", name)
        return bytes
    }

    /// Writes bytes into a file, which is made when there is none.
    ///
    /// - Throws: ``DiskError``; then nothing has been written, unless the power has gone.
    public func write(_ bytes: [UInt8], to name: String, at offset: Int = 0) throws(DiskError) {
        precondition(offset >= 0, "a file begins at 0")
        let status = unsafe bytes.withUnsafeBytes { buffer in
            var none: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &none) {
                unsafe csd_write(
                    disk,
                    name,
                    buffer.baseAddress ?? UnsafeRawPointer($0),
                    Int64(bytes.count),
                    Int64(offset)
                )
            }
        }
        try check(status, "write", name)
    }

    /// Writes bytes at the end of a file, which is made when there is none.
    ///
    /// - Throws: ``DiskError``.
    public func append(_ bytes: [UInt8], to name: String) throws(DiskError) {
        try write(bytes, to: name, at: size(of: name) ?? 0)
    }

    /// Makes a file shorter, or longer by zeros.
    ///
    /// - Throws: ``DiskError``.
    public func truncate(_ name: String, to size: Int) throws(DiskError) {
        precondition(size >= 0, "a size is not negative")
        try check(unsafe csd_truncate(disk, name, Int64(size)), "truncate", name)
    }

    /// Makes durable what was written into a file, and that it exists.
    ///
    /// - Throws: ``DiskError``.
    public func sync(_ name: String) throws(DiskError) {
        try check(unsafe csd_sync(disk, name), "sync", name)
    }

    /// Makes durable which files there are, and what they are called.
    ///
    /// - Throws: ``DiskError``.
    public func syncFolder() throws(DiskError) {
        try check(unsafe csd_sync_folder(disk), "sync", "the folder")
    }

    /// Removes a file.
    ///
    /// - Throws: ``DiskError``.
    public func remove(_ name: String) throws(DiskError) {
        try check(unsafe csd_remove(disk, name), "remove", name)
    }

    /// Gives a file another name, and removes what had that name.
    ///
    /// - Throws: ``DiskError``.
    public func rename(_ name: String, to newName: String) throws(DiskError) {
        try check(unsafe csd_rename(disk, name, newName), "rename", name)
    }

    private func check(_ status: csd_status, _ operation: String, _ name: String) throws(DiskError) {
        let code: DiskError.Code
        switch status {
        case CSD_OK: return
        case CSD_NOT_FOUND: code = .notFound
        case CSD_FULL: code = .noSpace
        case CSD_GONE: code = .nodeDown
        case CSD_TOO_LARGE: code = .tooLarge
        default: code = .inputOutput
        }
        throw DiskError(code: code, operation: operation, file: name, node: node.name)
    }
}

/// What C holds instead of the disk, so that it can be made before the disk is.
private final class Context: @unchecked Sendable {
    // Invariant that makes this Sendable: as for the disk.
    unowned(unsafe) var disk: SimulatedDisk?
}

private let decide: csd_decider = { context, fault, chance in
    guard let disk = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().disk,
        let drawn = disk.fires(fault)
    else { return false }
    unsafe chance.pointee = drawn
    return true
}

private let watch: csd_watcher = { context, change in
    unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().disk?.changed(change)
}

private let wait: csd_waiter = { context, microseconds in
    unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().disk?.passTime(
        .microseconds(microseconds)
    )
}

private let clock: csd_clock = { context in
    guard let disk = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().disk else {
        return 0
    }
    return Int64(disk.wallTime / .nanoseconds(1))
}
