import Dispatch
import Foundation
import Simulation
import Testing

@Suite("Escapes")
struct EscapeTests {
    private func escape(_ body: @escaping @Sendable () async throws -> Void) throws -> Escape {
        let error = try #require(throws: SimulationError.self) { try Simulation(seed: 1).run(body) }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        return try #require(escapes.first)
    }

    @Test func `a thread is named with its caller`() throws {
        let escape = try escape { Thread.detachNewThread {} }
        #expect(escape.kind == .thread)
        #expect(escape.function == "pthread_create")
        #expect(escape.callers.contains { $0.function.contains("EscapeTests") })
    }

    @Test func `work for Dispatch is named`() throws {
        #expect(try escape { DispatchQueue.global().async {} }.kind == .dispatch)
        #expect(try escape { DispatchQueue.main.asyncAfter(deadline: .now() + 1) {} }.kind == .dispatch)
    }

    @Test func `a blocking sleep moves virtual time and is named`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            blockForSeconds(100)
            #expect(ContinuousClock.now - start >= .seconds(100))
        }
        #expect(escape.kind == .blockingSleep)
    }

    @Test func `a wait that would last for ever is named and does not block`() throws {
        #expect(try escape { blockForEver() }.kind == .blockingWait)
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

    @Test func `a condition that nobody signals is named and does not block`() throws {
        #expect(try escape { waitForCondition() }.function == "pthread_cond_wait")
    }

    @Test func `a wait for a condition takes its time, virtually`() throws {
        let escape = try escape {
            let start = ContinuousClock.now
            waitForCondition(until: Date() + 100)
            #expect(abs((ContinuousClock.now - start) / .seconds(1) - 100) < 1)
        }
        #expect(escape.kind == .blockingWait)
    }

    @Test func `a semaphore of the C library is named and does not block`() throws {
        #expect(try escape { waitForSemaphore() }.function == "sem_wait")
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

private func blockForEver() { DispatchSemaphore(value: 0).wait() }
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
