import Glibc

/// How this process takes memory from the system.
enum SystemMemory {
    /// Blocks of at least this size are the system's own, and go back to it at once.
    private static let largeBlock: CInt = 128 * 1024

    /// Has the C library give large blocks back to the system when they are freed.
    ///
    /// By itself it raises the size from which it does so to that of the largest block that was ever freed, and keeps twice as
    /// much of what is freed later, in each of its arenas (mallopt(3)). A server that has once had messages of 16 MiB would
    /// hold a multiple of what it uses.
    static func givesBackLargeBlocks() {
        // Swift's module of the C library lacks malloc.h, from which the numbers are.
        typealias Mallopt = @convention(c) (_ parameter: CInt, _ value: CInt) -> CInt
        guard let symbol = unsafe dlsym(nil, "mallopt") else { return }
        let mallopt = unsafe unsafeBitCast(symbol, to: Mallopt.self)
        let (trimThreshold, mmapThreshold, mostArenas): (CInt, CInt, CInt) = (-1, -3, -8)
        _ = mallopt(mmapThreshold, largeBlock)
        _ = mallopt(trimThreshold, largeBlock)
        // Each arena keeps what was freed in it.
        _ = mallopt(mostArenas, 2)
    }
}
