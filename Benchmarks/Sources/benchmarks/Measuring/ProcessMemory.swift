import Foundation

/// What the kernel says of a process's memory.
struct ProcessMemory: Sendable {
    /// Resident bytes now.
    var resident: Int
    /// The most resident bytes since the start, or since ``forgetPeak()``.
    var peak: Int
    /// What SQLite has of it, databases in memory included; 0 for other processes.
    var sqlite = 0

    /// Resident bytes now, without those of SQLite.
    var withoutSQLite: Int { resident - sqlite }

    /// Reads what is said of this process.
    static func read() -> ProcessMemory {
        var memory = process("self")
        memory.sqlite = sqliteMemory()
        return memory
    }

    /// The bytes that SQLite has allocated (sqlite3_memory_used, sqlite.org/c3ref/memory_highwater.html), by the library that this process has
    /// loaded.
    private static func sqliteMemory() -> Int {
        guard let symbol = unsafe dlsym(nil, "sqlite3_memory_used") else { return 0 }
        return unsafe Int(unsafeBitCast(symbol, to: (@convention(c) () -> Int64).self)())
    }

    /// Reads `/proc/PID/status` (proc_pid_status(5)) of the process with that number.
    static func process(_ process: String) -> ProcessMemory {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        func bytes(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map {
                $0 * 1024
            } ?? 0
        }
        return ProcessMemory(resident: bytes("VmRSS:"), peak: bytes("VmHWM:"))
    }

    /// Makes the peak start anew from what is resident now (proc_pid_clear_refs(5)).
    static func forgetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }
}
