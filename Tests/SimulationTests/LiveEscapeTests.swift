import Dispatch
import Foundation
import FoundationNetworking
import Simulation
import Testing

@Suite("Escapes", .timeLimit(.minutes(10)))
struct LiveEscapeTests {
    private func escape(_ body: @escaping @Sendable () async throws -> Void) throws -> Escape {
        let error = try #require(throws: SimulationError.self) { try Simulation(seed: 1).run(body) }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        return try #require(escapes.first)
    }

    /// Expects the program's own line, and the function of the library that it called there.
    private func expect(
        _ escape: Escape,
        api: String?,
        line: Int = #line,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(escape.api == api, sourceLocation: sourceLocation)
        #expect(escape.callers.first?.line == line, "\(escape)", sourceLocation: sourceLocation)
        let file = escape.callers.first?.file ?? ""
        #expect(file.hasSuffix("/LiveEscapeTests.swift"), "\(escape)", sourceLocation: sourceLocation)
    }

    @Test func `a thread is named with its caller`() throws {
        let escape = try escape { Thread.detachNewThread {} }
        #expect(escape.kind == .thread)
        #expect(escape.function == "pthread_create")
        expect(escape, api: "Thread.detachNewThread(_:)", line: #line - 3)
        let text = "Thread.detachNewThread(_:) (pthread_create) called from closure #1 in LiveEscapeTests."
        #expect(escape.description.hasPrefix(text))
    }

    @Test func `work for Dispatch is named with its caller`() throws {
        let now = try escape { DispatchQueue.global().async {} }
        #expect(now.kind == .dispatch)
        expect(now, api: "DispatchQueue.async(group:qos:flags:execute:)", line: #line - 2)
        let later = try escape { DispatchQueue.main.asyncAfter(deadline: .now() + 1) {} }
        #expect(later.kind == .dispatch)
        expect(later, api: "DispatchQueue.asyncAfter(deadline:qos:flags:execute:)", line: #line - 2)
    }

    @Test func `a request to a real server is named with its caller`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let escape = try escape { _ = URLSession.shared.dataTask(with: url) }
        expect(escape, api: "URLSession.dataTask(with:)", line: #line - 1)
    }

    @Test func `a call of the C library is named with its caller`() throws {
        let escape = try escape { blockForSeconds(1) }
        expect(escape, api: nil, line: blockForSecondsLine)
        #expect(escape.callers.dropFirst().first?.line == #line - 2)
        let text = "sleep called from blockForSeconds(_:) at LiveEscapeTests.swift:"
        #expect(escape.description.hasPrefix(text))
    }

    @Test func `a blocking sleep moves virtual time and is named`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            blockForSeconds(100)
            #expect(ContinuousClock.now - start >= .seconds(100))
        }
        #expect(escape.kind == .blockingSleep)
    }

    /// How a run is blocked.
    private func blocked(_ body: @escaping @Sendable () async throws -> Void) throws -> StuckReport {
        let error = try #require(throws: SimulationError.self) { try Simulation(seed: 1).run(body) }
        guard case .blocked(let report) = error else { throw error }
        return report
    }

    @Test func `a wait for a semaphore that nobody signals ends the run, with the place of the wait`() throws
    {
        let report = try blocked { blockForEver() }
        let wait = try #require(report.escapes.last)
        #expect(wait.kind == .blockingWait)
        #expect(wait.function == "dispatch_semaphore_wait")
        expect(wait, api: nil, line: blockForEverLine)
        #expect(report.waiting.count == 1)
    }

    @Test func `a wait with a limit takes its time, virtually, and times out`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            #expect(waitForSignal(atMost: 100) == .timedOut)
            #expect(abs((ContinuousClock.now - start) / .seconds(1) - 100) < 0.1)
        }
        #expect(escape.function == "dispatch_semaphore_wait")
        let bounded = try self.escape { blockForAWhile() }
        // Its two functions with a timeout are one code, which has the name of either.
        #expect(bounded.api?.hasPrefix("DispatchSemaphore.wait(") == true)
        expect(bounded, api: bounded.api, line: blockForAWhileLine)
    }

    @Test func `a lock that a suspended task holds ends the run of the task that wants it`() throws {
        let lock = NSLock()
        let report = try blocked {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        acquire(lock)
                        await Task.yield()
                        release(lock)
                    }
                }
            }
        }
        #expect(report.escapes.last?.function == "pthread_mutex_lock")
        #expect(report.escapes.last?.callers.contains { $0.function.contains("acquire") } == true)
    }

    @Test func `the join of a refused thread ends the run`() throws {
        let report = try blocked { joinThread() }
        #expect(report.escapes.map(\.function) == ["pthread_create", "pthread_join"])
    }

    @Test func `runs that are blocked do not wear out the process`() throws {
        for _ in 0..<5 { #expect(try blocked { waitForSemaphore() }.escapes.count == 1) }
    }

    @Test func `a real socket is refused and named`() throws {
        let escape = try escape {
            #expect(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) == -1)
            #expect(errno == EACCES)
        }
        #expect(escape.kind == .socket)
    }

    @Test func `a timer of Dispatch is named`() throws {
        let escape = try escape {
            let timer = DispatchSource.makeTimerSource()
            timer.activate()  // Dispatch ends a process that lets go of one before
            timer.cancel()
        }
        #expect(escape.function == "dispatch_source_create")
        expect(escape, api: "DispatchSource.makeTimerSource(flags:queue:)", line: #line - 5)
    }

    @Test func `many calls at once stay inside, one after the other`() throws {
        let order = try Simulation(seed: 1).run {
            let order = Shared<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 5) { number in
                if Simulation.current != nil { order.withLock { $0.append(number) } }
            }
            return order.withLock { $0 }
        }
        #expect(order == [0, 1, 2, 3, 4])
    }

    @Test func `a condition that nobody signals ends the run`() throws {
        #expect(try blocked { waitForCondition() }.escapes.last?.function == "pthread_cond_wait")
    }

    @Test func `a wait for a condition takes its time, virtually`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            waitForCondition(until: Date() + 100)
            #expect(abs((ContinuousClock.now - start) / .seconds(1) - 100) < 1)
        }
        #expect(escape.kind == .blockingWait)
    }

    @Test func `a poll without a limit for what does not come ends the run`() throws {
        #expect(try blocked { _ = poll(nil, 0, -1) }.escapes.last?.function == "poll")
    }

    private struct Refused: Error {}

    @Test func `an escape is reported although the body then fails`() throws {
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                if socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) < 0 { throw Refused() }
            }
        }
        guard case .escaped(let escapes, _, let failure) = error else { throw error }
        #expect(escapes.map(\.kind) == [.socket])
        #expect(failure?.contains("Refused") == true)
        #expect("\(error)".contains("Refused"))
    }

    @Test func `escapes that are allowed do not hide one that is not, however many they are`() throws {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = [.blockingSleep]
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: configuration).run {
                for _ in 0..<40 { usleep(1) }
                usleep(2)
                Thread.detachNewThread {}
            }
        }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        #expect(escapes.map(\.kind) == [.thread])
    }

    @Test func `what is done again from one place is one escape, with its count`() throws {
        let escape = try escape { for _ in 0..<40 { usleep(1) } }
        #expect(escape.count == 40)
        #expect("\(escape)".contains("40 times"))
    }

    @Test func `what is refused does not happen`() throws {
        let happened = Shared<[String]>([])
        let kinds = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                Thread.detachNewThread { happened.withLock { $0.append("thread") } }
                DispatchQueue.global().async { happened.withLock { $0.append("block") } }
                #expect(startProcess() == EACCES)
            }
        }
        guard case .escaped(let escapes, _, _) = kinds else { throw kinds }
        #expect(Set(escapes.map(\.kind)) == [.thread, .dispatch, .process])
        // The same queue and the same pool do what they are asked for outside: what was refused would have come before.
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { done.signal() }
        done.wait()
        let thread = DispatchSemaphore(value: 0)
        Thread.detachNewThread { thread.signal() }
        thread.wait()
        #expect(happened.withLock { $0 } == [])
    }

    @Test func `a second run in the process names the same escape, with its callers`() throws {
        let escapes = try (1...2).map { _ in try escape { DispatchQueue.global().async {} } }
        #expect(escapes.first?.callers.isEmpty == false)
        #expect(escapes.first == escapes.last)
    }

    @Test func `a poll for what does not come takes its time, virtually`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            let ready = poll(nil, 0, 5000)
            #expect(ready == 0)
            #expect(ContinuousClock.now - start == .seconds(5))
        }
        #expect(escape.function == "poll")
    }

    @Test func `an escape that is allowed ends nothing`() throws {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = [.thread]
        let (_, report) = try Simulation(seed: 1, configuration: configuration).runReporting {
            Thread.detachNewThread {}
        }
        #expect(report.escapes.map(\.kind) == [.thread])
    }
}

private func waitForSignal(atMost seconds: Double) -> DispatchTimeoutResult {
    DispatchSemaphore(value: 0).wait(timeout: .now() + seconds)
}

private func acquire(_ lock: NSLock) { lock.lock() }
private func release(_ lock: NSLock) { lock.unlock() }

private func joinThread() {
    var thread = pthread_t()
    unsafe pthread_create(&thread, nil, { _ in nil }, nil)
    pthread_join(thread, nil)
}

private func startProcess() -> Int32 {
    var pid = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/true"), nil]
    defer { unsafe free(arguments[0]) }
    return unsafe posix_spawn(&pid, "/bin/true", nil, nil, &arguments, nil)
}

private let blockForEverLine = #line + 1
private func blockForEver() { DispatchSemaphore(value: 0).wait() }
private let blockForAWhileLine = #line + 2
private func blockForAWhile() {
    if DispatchSemaphore(value: 0).wait(timeout: .now() + 1) == .success { exit(1) }
}
private let blockForSecondsLine = #line + 1
private func blockForSeconds(_ seconds: UInt32) { sleep(seconds) }

private func waitForCondition(until end: Date? = nil) {
    let condition = NSCondition()
    condition.lock()
    if let end { _ = condition.wait(until: end) } else { condition.wait() }
    condition.unlock()
}

private func waitForSemaphore() {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
    unsafe sem_wait(semaphore)
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
}
