import CSimulation
import Foundation
import Simulation
import Synchronization
import Testing

/// A process that forks those of tests: this program, started again once, after it has looked up its tests and run none.
///
/// To start a large program for each test costs a fifth of a second, most of which are look-ups that the Swift runtime
/// remembers. Everything asynchronous of the nursery and of its forks runs on their main threads.
final class TestNursery: Sendable {
    static let shared = TestNursery()

    private static let variable = "LENSSIM_TEST_NURSERY"
    private static let descriptor: Int32 = 3

    private enum State {
        case unknown
        /// The socket to it.
        case running(Int32)
        /// Tests are started without it.
        case missing
    }

    private let state = Mutex(State.unknown)

    /// Starts the process of a test.
    ///
    /// - Returns: Its number; `nil` where the test needs threads, or there is no nursery.
    func start(_ request: TestProcess.Request, output: Int32, said: Int32) throws -> pid_t? {
        guard request.hasOneThread, request.filter != nil else { return nil }
        return try state.withLock { state in
            if case .unknown = state { state = Self.start() }
            guard case .running(let socket) = state else { return nil }
            let bytes = try JSONEncoder().encode(request)
            let failure = unsafe bytes.withUnsafeBytes { bytes -> Int32 in
                guard let start = bytes.baseAddress else { return EINVAL }
                return unsafe csim_send_with_files(socket, start, bytes.count, output, said)
            }
            var process: pid_t = 0
            let size = MemoryLayout<pid_t>.size
            if failure == 0, unsafe recv(socket, &process, size, 0) == size, process > 0 { return process }
            // It has ended, for whatever reason: the others are started one by one.
            close(socket)
            state = .missing
            return nil
        }
    }

    private static func start() -> State {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_SEQPACKET.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return .missing }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = "\(getpid())"
        environment["LENSSIM_ONE_THREAD"] = "1"
        let arguments = [
            CommandLine.arguments.first ?? "test", "--testing-library", "swift-testing", "--filter", "^no test$",
        ]
        var process: pid_t = 0
        let failure = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                unsafe csim_spawn(&process, "/proc/self/exe", arguments, environment, [-1, -1, -1, ends[1]], 4)
            }
        }
        guard failure == 0 else {
            close(ends[0])
            return .missing
        }
        return .running(ends[0])
    }

    // MARK: In the nursery

    /// Makes this process a nursery where it was started as one; called before main.
    static func beginIfWanted() {
        guard let parent = unsafe getenv(variable).flatMap({ unsafe Int32(String(cString: $0)) }) else { return }
        unsafe unsetenv(variable)
        // Not with the thread that has started it, which is one of a pool: the socket tells of the end of its process.
        guard getppid() == parent else { _exit(1) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        csim_instead_of_exit { TestNursery.serve() }
    }

    /// Forks processes until the one that wants them has ended.
    private static func serve() {
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            var (output, said): (Int32, Int32) = (-1, -1)
            let count = unsafe csim_receive_with_files(descriptor, &buffer, buffer.count, &output, &said)
            while waitpid(-1, nil, WNOHANG) > 0 {}
            guard count > 0,
                let request = try? JSONDecoder().decode(
                    TestProcess.Request.self,
                    from: Data(buffer[..<Int(count)])
                )
            else { _exit(0) }
            var child = csim_fork()
            if child == 0 { run(request, output: output, said: said) }
            close(output)
            close(said)
            _ = unsafe send(descriptor, &child, MemoryLayout<pid_t>.size, Int32(MSG_NOSIGNAL))
        }
    }

    private static func run(_ request: TestProcess.Request, output: Int32, said: Int32) -> Never {
        TestProcess.become(request, output: output, said: said)
        Task.detached {
            var arguments = __CommandLineArguments_v0()
            arguments.filter = request.filter.map { [$0] }
            let code = await Testing.__swiftPMEntryPoint(passing: arguments) as CInt
            // The test was not run, or not this case of it.
            _exit(code)
        }
        OneThread.run()
    }
}

/// What the engine's C constructor calls.
@c(csim_begin_nursery)
public func beginNurseryIfWanted() { TestNursery.beginIfWanted() }
