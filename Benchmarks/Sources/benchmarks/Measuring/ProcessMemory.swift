import Foundation

/// What the kernel says of a process's memory.
struct ProcessMemory: Sendable {
    /// Resident bytes now.
    var resident: Int
    /// The most resident bytes since the start, or since ``forgetPeak()``.
    var peak: Int

    /// Reads what is said of this process.
    static func read() -> ProcessMemory { process("self") }

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
