import CSimulation
import Foundation
import Simulation
import Synchronization
import Testing

/// A process in which the runs of one test are searched: this program, started again for that test alone.
///
/// There nothing of the program has run but what comes before the test, and nothing else runs: its workers begin with static
/// variables as they are in a fresh program, and whatever a run does to its process, it does to no other test.
enum TestProcess {
    /// What is started: the arguments that select one test, and which of its cases.
    struct Request: Codable {
        /// Those of a program that runs this test alone.
        var arguments: [String]
        /// The test's identifier; `nil` for one of XCTest.
        var test: String?
        /// What ``TestProcess/isWanted(case:)`` is asked for.
        var testCase: String
        /// How many workers it may have.
        var jobs = 1
        /// Whether everything asynchronous of the process runs on its main thread, so that it can be forked at any time.
        var hasOneThread = false
    }

    /// Names the process that has started this one, and the case of the test, with a colon between them.
    private static let variable = "LENSSIM_TEST_PROCESS"
    /// Where the process writes what it has found.
    private static let descriptor: Int32 = 3

    // MARK: In the process

    /// The case that this process was started for; `nil` in any other process.
    private static let wantedCase = Mutex<String?>(caseOfEnvironment())

    private static func caseOfEnvironment() -> String? {
        guard let value = ProcessInfo.processInfo.environment[variable],
            let colon = value.firstIndex(of: ":"),
            let parent = Int32(value[..<colon])
        else { return nil }
        csim_end_with_parent(parent)
        // Programs that the test starts are not meant.
        unsafe unsetenv(variable)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return String(value[colon...].dropFirst())
    }

    /// Makes a process that was forked for it one of a test.
    static func become(_ request: Request, output: Int32, said: Int32) {
        dup2(said, STDOUT_FILENO)
        dup2(said, STDERR_FILENO)
        dup2(output, descriptor)
        for file in [said, output] where file != descriptor { close(file) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unsafe setenv("LENSSIM_JOBS", "\(request.jobs)", 1)
        wantedCase.withLock { $0 = request.testCase }
    }

    /// Tells a case from the others of its test, in every process.
    static func name(of testCase: Test.Case?) -> String {
        guard let testCase, testCase.isParameterized else { return "" }
        // Its description names the arguments, and types of the library with addresses that differ between processes. It may be
        // longer than a variable of the environment can be.
        var text = "\(testCase)".replacing(/\$[0-9a-f]{6,}/, with: "")
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return "" }
            return unsafe "\(bytes.count)-\(String(csim_hash_bytes(start, bytes.count), radix: 16))"
        }
    }

    /// Whether this process was started for one test.
    static var isCurrent: Bool { wantedCase.withLock { $0 } != nil }

    /// Whether it was started for this case of its test.
    static func isWanted(case testCase: String) -> Bool { wantedCase.withLock { $0 } == testCase }

    /// Hands over what was found, and ends the process.
    static func end(with outcome: TestOutcome) -> Never {
        guard let bytes = try? JSONEncoder().encode(outcome) else {
            preconditionFailure("an outcome is always JSON")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try? file.write(contentsOf: bytes)
        csim_write_coverage()
        _exit(0)
    }

    // MARK: In the process that starts it

    /// Runs the search of a test, and gives what was found; blocks the calling thread.
    ///
    /// - Parameter isCancelled: Set from another thread, it ends the process.
    /// - Throws: ``TestProcessError``.
    static func outcome(of request: Request, _ isCancelled: Cancellation) throws -> TestOutcome {
        var ends: [Int32] = [0, 0]
        guard unsafe csim_pipe(&ends) == 0 else { throw TestProcessError(request, "pipe", errno) }
        let said = csim_shared_file()
        defer { close(said) }
        let process: pid_t
        // One that this process has started is its child, and one that the nursery has forked is the nursery's.
        var isChild = true
        do {
            defer { close(ends[1]) }
            if let forked = try TestNursery.shared.start(request, output: ends[1], said: said) {
                process = forked
                isChild = false
            } else {
                process = try start(request, output: ends[1], said: said)
            }
        } catch {
            close(ends[0])
            throw error
        }
        isCancelled.process = process
        let bytes = (try? FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd()) ?? Data()
        isCancelled.process = 0
        var status: Int32?
        if isChild {
            var code: Int32 = 0
            while unsafe waitpid(process, &code, 0) < 0, errno == EINTR {}
            status = code
        }
        if let outcome = try? JSONDecoder().decode(TestOutcome.self, from: bytes) { return outcome }
        if isCancelled.isSet { throw CancellationError() }
        throw TestProcessError(request, status: status, said: text(of: said))
    }

    /// The environment for a process of this program.
    static var ownEnvironment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        if let preload = unsafe csim_preload() { environment["LD_PRELOAD"] = unsafe String(cString: preload) }
        return environment
    }

    private static func start(_ request: Request, output: Int32, said: Int32) throws -> pid_t {
        var environment = ownEnvironment
        environment[variable] = "\(getpid()):\(request.testCase)"
        if request.hasOneThread { environment["LENSSIM_ONE_THREAD"] = "1" }
        environment["LENSSIM_JOBS"] = "\(request.jobs)"
        let arguments = [CommandLine.arguments.first ?? "test"] + request.arguments
        var process: pid_t = 0
        let failure = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                let files = [-1, said, said, output]
                return unsafe csim_spawn(&process, "/proc/self/exe", arguments, environment, files, 4)
            }
        }
        guard failure == 0 else { throw TestProcessError(request, "posix_spawn", failure) }
        return process
    }

    /// The end of what a process has printed.
    private static func text(of file: Int32) -> String {
        let length = lseek(file, 0, SEEK_END)
        var buffer = [UInt8](repeating: 0, count: Int(min(length, 20_000)))
        let count = unsafe pread(file, &buffer, buffer.count, length - off_t(buffer.count))
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// Ends a process from another thread.
final class Cancellation: Sendable {
    private let state = Mutex<(process: pid_t, isSet: Bool)>((0, false))

    var isSet: Bool { state.withLock { $0.isSet } }

    /// The process that runs now; 0 for none.
    var process: pid_t {
        get { state.withLock { $0.process } }
        set {
            state.withLock { state in
                state.process = newValue
                if state.isSet, newValue > 0 { kill(newValue, SIGKILL) }
            }
        }
    }

    func cancel() {
        state.withLock { state in
            state.isSet = true
            if state.process > 0 { kill(state.process, SIGKILL) }
        }
    }
}

/// The process of a test could not be started, or has ended without a result.
struct TestProcessError: Error, CustomStringConvertible {
    let description: String

    init(_ request: TestProcess.Request, _ call: String, _ code: Int32) {
        description =
            "a process for this test could not be started (\(call): \(unsafe String(cString: strerror(code)))): "
            + "\(request.arguments.joined(separator: " ")). LENSSIM_IN_PROCESS=1 runs the seeds in this process."
    }

    init(_ request: TestProcess.Request, status: Int32?, said: String) {
        let end =
            status.map { $0 & 0x7f == 0 ? " with the code \($0 >> 8 & 0xff)" : " by signal \($0 & 0x7f)" }
            ?? ""
        description =
            "the process of this test ended\(end) before its runs did: \(request.arguments.joined(separator: " "))\n"
            + said.split(separator: "\n").suffix(40).map { "  \($0)\n" }.joined()
            + "LENSSIM_IN_PROCESS=1 runs the seeds in this process."
    }
}

/// Calls `body` with the strings as C wants the arguments of a program.
func withCStrings<Value>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
    let count = strings.count
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { unsafe pointers[index] = unsafe strdup(string) }
    unsafe pointers[count] = nil
    defer {
        for index in 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }
    return unsafe body(pointers)
}
