import Conformance
import LiveTransport
import ObjectStoreConformance
import Synchronization
import Testing
import Transport

@Suite("S3 conforms over real sockets", .timeLimit(.minutes(10)))
struct LiveStorageConformanceTests {
    @Test("over loopback", arguments: ObjectStoreConformance.cases)
    func overLoopback(_ test: ObjectStoreConformance.Case) async throws {
        let client = try LiveTransport()
        let host = try LoopbackHost()
        let listeners = Listeners()
        let harness = S3Harness { server in
            let listener = try await host.listen(server, at: .loopback())
            listeners.add(listener)
            return S3Harness.Place(client: client, endpoint: "http://\(listener.address)")
        }
        var failure: (any Error)?
        do { try await expectPassed(test, harness) } catch { failure = error }
        await client.shutdown()
        for listener in listeners.all { await listener.stop() }
        if let failure { throw failure }
    }

    private final class Listeners: Sendable {
        private let kept = Mutex<[any Listener]>([])

        var all: [any Listener] { kept.withLock { $0 } }
        func add(_ listener: any Listener) { kept.withLock { $0.append(listener) } }
    }
}
