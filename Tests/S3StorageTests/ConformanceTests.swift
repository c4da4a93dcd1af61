import Conformance
import ObjectStoreConformance
import S3Storage
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("S3 conforms to the suite of object stores")
struct ConformanceTests {
    @Test(
        "with buckets in the path and in the host",
        arguments: S3Configuration.Addressing.allCases,
        ObjectStoreConformance.cases
    )
    func direct(_ addressing: S3Configuration.Addressing, _ test: ObjectStoreConformance.Case) async throws {
        var harness = S3Harness { server in
            S3Harness.Place(client: ServerClient(server: server), endpoint: "https://s3.example.com")
        }
        harness.configuration.addressing = addressing
        try await expectPassed(test, harness)
    }

    @Test(
        "with every object in parts",
        arguments: ObjectStoreConformance.cases.filter { !$0.id.hasPrefix("trouble") }
    )
    func parts(_ test: ObjectStoreConformance.Case) async throws {
        var harness = S3Harness { server in
            S3Harness.Place(client: ServerClient(server: server), endpoint: "https://s3.example.com")
        }
        harness.configuration.largestSinglePut = -1
        // One part, which has no shortest length, also for the largest object of the suite.
        harness.configuration.partSize = 3 << 20
        if test.id == "limit.store" { return }
        try await expectPassed(test, harness)
    }
}

/// Moves are what S3 does not have.
func expectPassed(_ test: ObjectStoreConformance.Case, _ harness: S3Harness) async throws {
    var harness = harness
    if test.id.hasPrefix("checkpoint.") { harness.configuration.largestSinglePut = 500_000 }
    let outcome = try await test.run(with: harness)
    let isMove = test.id.hasPrefix("move.")
    #expect(outcome == (isMove ? .skipped("the store has not the ability “move”") : .passed))
}

@Suite("S3 conforms across a simulated network", .simulated(seeds: 1...5))
struct SimulatedConformanceTests {
    @Test("between two hosts", arguments: ObjectStoreConformance.cases)
    func betweenHosts(_ test: ObjectStoreConformance.Case) async throws {
        let network = SimulatedNetwork(
            defaults: LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        )
        let (phone, cloud) = (network.host("phone"), network.host("cloud"))
        let harness = S3Harness { server in
            let listener = try await cloud.listen(server, at: SocketAddress(host: "cloud", port: 0))
            return S3Harness.Place(client: phone, endpoint: "http://\(listener.address)")
        }
        try await expectPassed(test, harness)
    }
}
