import Foundation

/// What the kernel says of this process's memory.
struct ProcessMemory: Sendable {
    /// Resident bytes now.
    var resident: Int
    /// The most resident bytes since the start, or since ``forgetPeak()``.
    var peak: Int

    /// Reads `/proc/self/status` (proc_pid_status(5)).
    static func read() -> ProcessMemory {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
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
