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

    @Test
    func `a request in an asynchronous function of Foundation is named with its caller, and as a request`()
        throws
    {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let line = #line + 1
        let report = try stuck { _ = try await URLSession.shared.data(from: url) }
        let escape = try #require(report.escapes.first)
        #expect(escape.function == "dispatch_async")
        expect(escape, api: "URLSession.data(from:delegate:)", line: line)
        #expect(
            escape.description.hasSuffix(
                "a request goes to a real server; use the simulated network, or Simulation.outside"
            )
        )
    }

    @Test func `an executor over a queue is named with the line that called its actor`() throws {
        let line = #line + 1
        let report = try stuck { await QueueActor().act() }
        let escape = try #require(report.escapes.first)
        #expect(escape.callers.map(\.line) == [QueueExecutor.line, line], "\(escape)")
        #expect(
            escape.description.contains(
                ": the executor of an actor, called from closure #1 in LiveEscapeTests."
            )
        )
    }

    @Test func `a timer of a run loop is named with its caller, however many there were before`() throws {
        for _ in 0..<3 {
            let line = #line + 2
            let report = try stuck {
                await withCheckedContinuation { after(1, $0.resume) }
            }
            let escape = try #require(report.escapes.first)
            #expect(report.escapes.count == 1 && escape.kind == .timer)
            expect(escape, api: "Timer.scheduledTimer(withTimeInterval:repeats:block:)", line: afterLine)
            #expect(escape.callers.contains { $0.line == line }, "\(escape)")
        }
    }

    @Test func `a timer that is allowed fires when the run loop runs`() throws {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = Set(Escape.Kind.allCases)
        let (hasFired, report) = try Simulation(seed: 1, configuration: configuration).runReporting {
            let hasFired = Shared(false)
            after(0.001) { hasFired.withLock { $0 = true } }
            letRunLoopRun(for: 0.1)
            return hasFired.withLock { $0 }
        }
        #expect(hasFired)
        #expect(report.escapes.contains { $0.kind == .timer })
    }

    /// How a run is stuck.
    private func stuck(_ body: @escaping @Sendable () async throws -> Void) throws -> StuckReport {
        let error = try #require(throws: SimulationError.self) { try Simulation(seed: 1).run(body) }
        guard case .stuck(let report) = error else { throw error }
        return report
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
        let yieldLine = #line + 6
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
        let wait = try #require(report.escapes.last)
        #expect(wait.function == "pthread_mutex_lock")
        #expect(wait.callers.contains { $0.function.contains("acquire") })
        #expect(Set([wait.task, wait.holder]) == [2, 3])
        #expect(wait.holderWaitsAt?.line == yieldLine)
        let text =
            "task \(wait.task) waits for a lock that task \(wait.holder) holds while it is suspended at closure #1"
        #expect(wait.description.contains(text), "\(wait)")
    }

    @Test func `a lock that a task held at its end, or that the waiting task holds, is reported as that`()
        throws
    {
        let lock = NSLock()
        let left = try blocked {
            await Task { acquire(lock) }.value
            acquire(lock)
        }
        #expect(
            left.escapes.last?.description.contains(
                "task 1 waits for a lock that task 2 holds and has not unlocked"
            ) == true
        )
        let own = NSLock()
        let twice = try blocked {
            acquire(own)
            acquire(own)
        }
        #expect(
            twice.escapes.last?.description.hasSuffix("task 1 waits for a lock that it holds itself") == true
        )
    }

    @Test func `a lock for reading and writing that a suspended task holds is reported with its holder`()
        throws
    {
        let lock = ReadWriteLock()
        let report = try blocked {
            async let first: Void = lock.write { await Task.yield() }
            async let second: Void = lock.write { await Task.yield() }
            _ = await (first, second)
        }
        let wait = try #require(report.escapes.last)
        #expect(wait.function == "pthread_rwlock_wrlock" && Set([wait.task, wait.holder]) == [2, 3])
    }

    @Test func `a wait that cannot end is reported once, before the tasks`() throws {
        for wait in [blockForEver, { @Sendable in _ = poll(nil, 0, -1) }] {
            let report = try blocked { wait() }
            #expect(report.escapes.count == 1)
            let lines = "\(SimulationError.blocked(report))".split(separator: "\n")
            #expect(lines.dropFirst().first.map { $0.contains(" called from ") } == true, "\(lines)")
            #expect(lines.dropFirst(2).first == "1 task has not ended:")
        }
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
@Sendable private func blockForEver() { DispatchSemaphore(value: 0).wait() }
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

private let afterLine = #line + 2
private func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    _ = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { _ in body() }
}

private func letRunLoopRun(for seconds: Double) {
    RunLoop.current.run(until: Date(timeIntervalSinceNow: seconds))
}

private final class QueueExecutor: SerialExecutor {
    static let line = #line + 4
    private let queue = DispatchQueue(label: "jobs")
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private actor QueueActor {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    func act() {}
}

// Invariant that makes it Sendable: a lock may be used from any thread.
@safe private final class ReadWriteLock: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    init() { unsafe pthread_rwlock_init(lock, nil) }
    private func lockForWriting() { unsafe pthread_rwlock_wrlock(lock) }
    private func unlock() { unsafe pthread_rwlock_unlock(lock) }
    func write(_ body: @Sendable () async -> Void) async {
        lockForWriting()
        await body()
        unlock()
    }
}
