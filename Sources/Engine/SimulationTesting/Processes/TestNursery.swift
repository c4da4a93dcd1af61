import CSimulation
import Exploration
import Foundation
import Simulation
import Synchronization
import Testing

/// A process that forks those of tests: this program, started again once, in which each simulated test stands before its
/// first run.
///
/// To start a large program for each test costs a fifth of a second of look-ups. In the nursery Swift Testing has begun all
/// simulated tests of this run, and no others; each waits in ``SimulatedTrait`` until a fork of the nursery wants it. Everything
/// asynchronous of the nursery and of its forks runs on their main threads.
final class TestNursery: Sendable {
    static let shared = TestNursery()

    private static let variable = "LENSSIM_TEST_NURSERY"
    private static let socket: Int32 = 3
    /// A file with the identifiers of the simulated tests.
    private static let list: Int32 = 4

    private enum State {
        /// The identifiers of simulated tests so far: Swift Testing prepares all tests before the first runs.
        case expecting(Set<String>)
        /// The socket to it.
        case running(Int32)
        /// Tests are started without it.
        case missing
    }

    private let state = Mutex(State.expecting([]))

    /// Notes a simulated test of this run.
    func expect(_ test: String) {
        state.withLock { state in
            guard case .expecting(var tests) = state else { return }
            state = .missing  // so that the set is not copied
            tests.insert(test)
            state = .expecting(tests)
        }
    }

    /// Starts the process of a test.
    ///
    /// - Returns: Its number; `nil` where the test needs threads, or there is no nursery that knows it.
    func start(_ request: TestProcess.Request, output: Int32, said: Int32) throws -> pid_t? {
        guard request.hasOneThread, request.test != nil else { return nil }
        let bytes = try JSONEncoder().encode(request)
        return state.withLock { state in
            if case .expecting(let tests) = state { state = Self.start(tests) }
            guard case .running(let socket) = state else { return nil }
            let failure = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
                guard let start = bytes.baseAddress else { return EINVAL }
                return unsafe csim_send_with_files(socket, start, bytes.count, output, said)
            }
            var process: pid_t = 0
            let size = MemoryLayout<pid_t>.size
            var received = 0
            repeat { received = unsafe recv(socket, &process, size, 0) } while received < 0 && errno == EINTR
            if failure == 0, received == size { return process > 0 ? process : nil }
            // It has ended, for whatever reason: further tests are started one by one.
            close(socket)
            state = .missing
            return nil
        }
    }

    private static func start(_ tests: Set<String>) -> State {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return .missing }
        let file = csim_shared_file()
        defer {
            close(ends[1])
            close(file)
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
        var process: pid_t = 0
        do {
            try handle.write(contentsOf: JSONEncoder().encode(tests))
            var environment = TestProcess.ownEnvironment
            environment[variable] = "\(getpid())"
            environment["LENSSIM_ONE_THREAD"] = "1"
            let arguments = [
                CommandLine.arguments.first ?? "test", "--testing-library", "swift-testing", "--filter",
                "^no test$",
            ]
            let failure = unsafe withCStrings(arguments) { arguments in
                unsafe withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                    let files = [-1, -1, -1, ends[1], file]
                    return unsafe csim_spawn(&process, "/proc/self/exe", arguments, environment, files, 5)
                }
            }
            if failure == 0 { return .running(ends[0]) }
        } catch {}
        close(ends[0])
        return .missing
    }

    // MARK: In the nursery

    /// The tests that wait, where this process is a nursery or a fork of one.
    private struct Waiting {
        var tests: [String: CheckedContinuation<Bool, Never>] = [:]
        /// The one that a fork wants.
        var wanted: String?
    }

    private static let waiting = Mutex<Waiting?>(nil)

    /// Makes this process a nursery where it was started as one; called before main.
    static func beginIfWanted() {
        guard let parent = unsafe getenv(variable).flatMap({ unsafe Int32(String(cString: $0)) }) else {
            return
        }
        unsafe unsetenv(variable)
        // It ends with the process that has started it, by the socket, and not with the thread that has, which is one of a pool.
        guard getppid() == parent else { _exit(1) }
        for file in [socket, list] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        waiting.withLock { $0 = Waiting() }
        // Swift Testing looks up its tests, runs none, and would end this process.
        csim_instead_of_exit { TestNursery.beginTests() }
    }

    /// Whether this process is a nursery, or a fork of one.
    static var isCurrent: Bool { waiting.withLock { $0 != nil } }

    /// Lets a test wait until a fork wants it; at once outside of nurseries.
    ///
    /// - Returns: Whether it is to go on. Otherwise it is over, since a fork wants another.
    static func wait(_ test: String, _ testCase: String) async -> Bool {
        guard isCurrent else { return true }
        let name = name(test, testCase)
        return await withCheckedContinuation { continuation in
            let answer = waiting.withLock { waiting -> Bool? in
                guard let wanted = waiting?.wanted else {
                    waiting?.tests[name] = continuation
                    return nil
                }
                return wanted == name
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private static func name(_ test: String, _ testCase: String) -> String { "\(test) \(testCase)" }

    /// Begins all simulated tests, and forks processes for them until nobody wants more.
    private static func beginTests() {
        let file = FileHandle(fileDescriptor: list, closeOnDealloc: true)
        try? file.seek(toOffset: 0)
        guard let bytes = try? file.readToEnd(),
            let tests = try? JSONDecoder().decode([String].self, from: bytes)
        else { _exit(1) }
        Task.detached {
            var arguments = __CommandLineArguments_v0()
            arguments.filter = [TestFilter.expression(forAll: tests)]
            arguments.parallel = true
            arguments.experimentalMaximumParallelizationWidth = .max
            _ = await Testing.__swiftPMEntryPoint(passing: arguments) as CInt
            // All tests are over without the one that a fork wants.
            _exit(2)
        }
        warmUpResults()
        _ = try? JSONEncoder().encode(TestOutcome(result: SweepResult(program: "", strategy: .portfolio)))
        OneThread.run(whenIdle: serve)
    }

    /// Waits for the next that is wanted, when all others wait; returns in the fork that becomes it.
    private static func serve() {
        guard waiting.withLock({ $0?.wanted == nil }) else {
            // Of tests that come one after the other, those before the wanted one are over at once.
            let others = waiting.withLock { waiting in
                defer { waiting?.tests = [:] }
                return waiting?.tests.values.map { $0 } ?? []
            }
            if others.isEmpty { _exit(2) }
            return others.forEach { $0.resume(returning: false) }
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var (output, said): (Int32, Int32) = (-1, -1)
            let count = unsafe csim_receive_with_files(socket, &buffer, buffer.count, &output, &said)
            while waitpid(-1, nil, WNOHANG) > 0 {}
            let decoder = JSONDecoder()
            guard count > 0,
                let request = try? decoder.decode(TestProcess.Request.self, from: Data(buffer[..<Int(count)]))
            else { _exit(0) }
            var child = csim_fork()
            if child == 0 { return become(request, output: output, said: said) }
            close(output)
            close(said)
            _ = unsafe send(socket, &child, MemoryLayout<pid_t>.size, Int32(MSG_NOSIGNAL))
        }
    }

    private static func become(_ request: TestProcess.Request, output: Int32, said: Int32) {
        TestProcess.become(request, output: output, said: said)
        let name = name(request.test ?? "", request.testCase)
        let wanted = waiting.withLock { waiting in
            waiting?.wanted = name
            return waiting?.tests.removeValue(forKey: name)
        }
        wanted?.resume(returning: true)
    }
}

/// What the engine's C constructor calls.
@c(csim_begin_nursery)
public func beginNurseryIfWanted() { TestNursery.beginIfWanted() }
