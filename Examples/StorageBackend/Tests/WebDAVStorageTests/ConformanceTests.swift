import Conformance
import LiveTransport
import ObjectStoreConformance
import SimulatedTransport
import SimulationTesting
import Synchronization
import Testing
import Transport
import WebDAVStorage

/// What the store does not have: a server signs no addresses, keeps nothing beside a file that every client could ask for, and takes a file in one request.
private let notApplicable: Set = [
    "signed.read", "metadata.kept", "checkpoint.resumed", "checkpoint.other",
    "checkpoint.discarded",
]

@Suite("Conformance of the WebDAV store", .simulated(seeds: 1...5))
struct WebDAVConformanceTests {
    @Test(
        "every requirement is met over a simulated network",
        arguments: ObjectStoreConformance.cases,
        ScriptedDAV.Form.allCases
    )
    func conforms(_ test: ObjectStoreConformance.Case, _ form: ScriptedDAV.Form) async throws {
        let conditions = LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        let network = SimulatedNetwork(defaults: conditions)
        let outcome = try await test.run(with: WebDAVHarness.simulated(form, on: network))
        #expect((outcome == .passed) != notApplicable.contains(test.id), "\(outcome)")
    }
}

@Suite("Conformance of the WebDAV store over real sockets", .timeLimit(.minutes(10)))
struct LiveWebDAVConformanceTests {
    @Test("every requirement is met over real sockets", arguments: ObjectStoreConformance.cases)
    func conforms(_ test: ObjectStoreConformance.Case) async throws {
        let (client, host, listeners) = (try LiveTransport(), try LoopbackHost(), Listeners())
        let harness = WebDAVHarness(form: .plain, timeout: .seconds(5)) { server in
            let listener = try await host.listen(server, at: .loopback())
            listeners.add(listener)
            return (client, "\(listener.address)")
        }
        let result: Result<ConformanceOutcome, any Error>
        do { result = .success(try await test.run(with: harness)) } catch { result = .failure(error) }
        await client.shutdown()
        for listener in listeners.all { await listener.stop() }
        let outcome = try result.get()
        #expect((outcome == .passed) != notApplicable.contains(test.id), "\(outcome)")
    }

    private final class Listeners: Sendable {
        private let kept = Mutex<[any Listener]>([])

        var all: [any Listener] { kept.withLock { $0 } }
        func add(_ listener: any Listener) { kept.withLock { $0.append(listener) } }
    }
}
