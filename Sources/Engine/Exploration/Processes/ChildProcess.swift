import CSimulation
package import Foundation
import Simulation

/// A process forked from this one, which writes lines of JSON and ends.
///
/// The child has one thread, the one that forked: it must not wait for others. It ends when that thread of its parent does.
package final class ChildProcess {
    /// Its number.
    package let id: Int32
    /// Readable when it has written something, or has ended.
    package let output: Int32
    private var received: [UInt8] = []

    /// Forks a process, which calls `body` with the descriptor to write to.
    ///
    /// - Throws: ``ForkError``.
    package init(_ body: (_ output: Int32) -> Never) throws(ForkError) {
        // Once for all forks.
        RuntimeProbe.runOnce()
        var ends: [Int32] = [0, 0]
        guard unsafe csim_pipe(&ends) == 0 else { throw ForkError(code: errno) }
        let child = csim_fork()
        if child == 0 {
            csim_have_threads()
            close(ends[0])
            body(ends[1])
        }
        let code = errno
        close(ends[1])
        guard child > 0 else {
            close(ends[0])
            throw ForkError(code: code)
        }
        id = child
        output = ends[0]
    }

    /// Takes the whole lines that have come; `nil` once the process has closed its end and all was taken.
    package func lines() -> [Data]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(output, &buffer, buffer.count)
        if count < 0, errno == EINTR { return [] }
        guard count > 0 else { return nil }
        received += buffer[..<count]
        guard let end = received.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = received[..<end].split(separator: UInt8(ascii: "\n")).map { Data($0) }
        received.removeSubrange(...end)
        return lines
    }

    /// Takes all lines up to the end of the process, which is ended if it says nothing for ten minutes.
    package func allLines() -> [Data] {
        var all: [Data] = []
        while true {
            var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&wanted, 1, 600_000) == 0 { kill() }
            guard let some = lines() else { return all }
            all += some
        }
    }

    /// Waits for 20 ms at most until some of several processes have something to read, or have ended.
    ///
    /// - Returns: Their places in the array.
    package static func waitForAny(_ processes: [ChildProcess]) -> [Int] {
        var wanted = processes.map { pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&wanted, nfds_t(wanted.count), 20)
        return wanted.indices.filter { wanted[$0].revents != 0 }
    }

    /// Processor time that it has used so far; zero once it was waited for.
    var processorTime: Duration {
        var clock = clockid_t()
        guard unsafe clock_getcpuclockid(id, &clock) == 0 else { return .zero }
        return time(of: clock)
    }

    /// Ends the process at once.
    package func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Waits for the end, and gives the status as `waitpid` does.
    package func end() -> Int32 {
        close(output)
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// What a clock of processor time says.
func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    guard unsafe clock_gettime(clock, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Why a process could not be made.
public struct ForkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the system said.
    public var code: Int32

    /// What was tried, what came back, what to do.
    public var description: String {
        "a process for a seed could not be made: \(unsafe String(cString: strerror(code))); try fewer --jobs"
    }
}

/// Writes one line of JSON into a pipe.
package func writeLine(_ value: some Encodable, to output: Int32) {
    guard var line = try? JSONEncoder().encode(value) else {
        preconditionFailure("a result is always JSON")
    }
    line.append(UInt8(ascii: "\n"))
    unsafe line.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
            let count = unsafe Glibc.write(
                output,
                bytes.baseAddress.map { unsafe $0 + sent },
                bytes.count - sent
            )
            if count < 0, errno != EINTR { return }
            sent += max(count, 0)
        }
    }
}
