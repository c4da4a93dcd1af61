import Foundation
import Simulation
import Testing

/// Waits an hour for a lock that this thread has.
private func waitForLock() {
    let lock = NSLock()
    #expect(lock.lock(before: .now + 1))
    #expect(!lock.lock(before: .now + 3600))
    lock.unlock()
}

/// Calls of libc that reach outside by other names.
@Suite("Calls that reach outside")
struct LiveOutsideCallTests {
    private func escapes(of body: @escaping @Sendable () -> Void) throws -> [String] {
        let error = try #require(throws: SimulationError.self) { try Simulation(seed: 1).run { body() } }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        return escapes.map(\.function)
    }

    @Test func `a name is not looked up`() throws {
        let code = Shared(Int32(0))
        let names = try escapes {
            var found: UnsafeMutablePointer<addrinfo>?
            let result = unsafe getaddrinfo("localhost", "80", nil, &found)
            code.withLock { $0 = result }
        }
        #expect(names == ["getaddrinfo"])
        #expect(code.withLock { $0 } == EAI_FAIL)
    }

    @Test func `no shell is started`() throws {
        let names = try escapes {
            let isRefused = unsafe popen("true", "r") == nil
            #expect(isRefused)
        }
        #expect(names == ["popen"])
    }

    @Test func `no socket of the machine is made`() throws {
        let names = try escapes { #expect(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) == -1) }
        #expect(names == ["socket"])
    }

    @Test func `a lock that nobody gives back is waited for in virtual time`() throws {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = [.blockingWait]
        let report = try Simulation(seed: 1, configuration: configuration).runReporting {
            waitForLock()
        }.report
        #expect(report.time >= .seconds(3599) && report.time <= .seconds(3601))
    }

    @Test func `a run waits for what it was allowed to start elsewhere`() throws {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = [.dispatch, .foreignResume]
        let (value, report) = try Simulation(seed: 1, configuration: configuration).runReporting {
            let isSuspended = DispatchSemaphore(value: 0)
            // Runs once this task has given up the simulation's only thread: a task that is resumed before it waits is not
            // resumed by the other thread, it goes on by itself.
            Task { isSuspended.signal() }
            return await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    isSuspended.wait()
                    continuation.resume(returning: true)
                }
            }
        }
        #expect(value)
        #expect(Set(report.escapes.map(\.kind)) == [.dispatch, .foreignResume])
    }
}
