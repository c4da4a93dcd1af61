import Conformance
import PushReceiverConformance
import Services
import SimulationTesting
import Testing

@Suite("Receiver conformance", .simulated(seeds: 1...6))
struct ReceiverConformanceTests {
    @Test(
        "the notification centre of a simulated device meets every requirement that it can",
        arguments: PushReceiverConformance.cases
    )
    func simulated(_ test: PushReceiverConformance.Case) async throws {
        let harness = SimulatedCentreHarness()
        let outcome = try await test.run(with: harness)
        #expect((outcome == .passed) == test.needs.isSubset(of: harness.capabilityNames), "\(outcome)")
    }

    @Test(
        "the connection to a push service meets every requirement on a simulated network",
        arguments: PushReceiverConformance.cases
    )
    func connection(_ test: PushReceiverConformance.Case) async throws {
        let harness = ConnectionHarness { try await ConnectionWorld.simulated(allowing: $0) }
        #expect(try await test.run(with: harness) == .passed)
    }

    @Test("a receiver in memory meets every requirement", arguments: PushReceiverConformance.cases)
    func memory(_ test: PushReceiverConformance.Case) async throws {
        #expect(try await test.run(with: WrongReceiverHarness(flaw: nil)) == .passed)
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = PushReceiverConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong receiver`() {
        let failed = WrongReceiver.Flaw.allCases.reduce(into: Set<String>()) {
            $0.formUnion($1.findings.keys)
        }
        #expect(failed == Set(PushReceiverConformance.cases.map(\.id)))
    }
}

@Suite("Receiver conformance of wrong receivers", .simulated(seeds: 1...1))
struct WrongReceiverTests {
    @Test(
        "a wrong receiver fails the cases about its flaw, for that reason, and no other",
        arguments: WrongReceiver.Flaw.allCases
    )
    func wrong(_ flaw: WrongReceiver.Flaw) async throws {
        let report = await PushReceiverConformance.suite.report(on: WrongReceiverHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }
}

@Suite("Receiver conformance over real sockets", .timeLimit(.minutes(5)))
struct LiveReceiverConformanceTests {
    @Test(
        "the connection to a push service meets every requirement over TLS and real sockets",
        arguments: PushReceiverConformance.cases
    )
    func live(_ test: PushReceiverConformance.Case) async throws {
        let harness = ConnectionHarness { try await SocketWorld.make(allowing: $0) }
        #expect(try await test.run(with: harness) == .passed)
    }
}
