import CMalloc

/// How this process takes memory from the system.
enum SystemMemory {
    /// Blocks of at least this size are the system's own, and go back to it at once.
    private static let largeBlock: CInt = 128 * 1024

    /// Has the C library give large blocks back to the system when they are freed.
    ///
    /// By itself it raises the size from which it does so to that of the largest block that was ever freed, and keeps twice as
    /// much of what is freed later, in each of its arenas (mallopt(3)). A server that has once had messages of 16 MiB would
    /// hold a multiple of what it uses: `scripts/hostile-load --seconds 60` finds about 30 MB more in the servers of WebSockets.
    static func givesBackLargeBlocks() {
        _ = mallopt(M_MMAP_THRESHOLD, largeBlock)
        _ = mallopt(M_TRIM_THRESHOLD, largeBlock)
        // Each arena keeps what was freed in it.
        _ = mallopt(M_ARENA_MAX, 2)
    }
}
