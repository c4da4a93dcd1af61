import Conformance
import EtcdTrials
import LiveTransport
import ServiceBrowserConformance
import ServiceClient
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Conformance of the etcd browser", .simulated(seeds: 1...5))
struct EtcdConformanceTests {
    @Test("every requirement is met over a simulated network", arguments: ServiceBrowserConformance.cases)
    func conforms(_ test: ServiceBrowserConformance.Case) async throws {
        let conditions = LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        let network = SimulatedNetwork(defaults: conditions)
        let listener = try await network.host("registry")
            .listen(ScriptedEtcd(), at: SocketAddress(host: "registry", port: 2_379))
        let address = try #require(ServiceAddress("http://\(listener.address)"))
        #expect(try await test.run(with: EtcdHarness(network.host("phone"), at: address)) == .passed)
    }
}

@Suite("Conformance of the etcd browser over real sockets", .timeLimit(.minutes(5)))
struct LiveEtcdConformanceTests {
    /// Those that wait for a minute, or for something not to happen, are run on a real etcd (`make clients`), and so is the one that must come within a
    /// second, which a machine under load may not give.
    private static let cases = ServiceBrowserConformance.cases.filter {
        !["find.first", "stop.silent", "change.alive", "leave.crashed"].contains($0.id)
    }

    @Test("what takes no longer than an answer is met over real sockets", arguments: cases)
    func conforms(_ test: ServiceBrowserConformance.Case) async throws {
        let (http, host) = (try LiveTransport(), try LoopbackHost())
        let listener = try await host.listen(ScriptedEtcd(), at: .loopback())
        let address = try #require(ServiceAddress("http://\(listener.address)"))
        let result: Result<ConformanceOutcome, any Error>
        do { result = .success(try await test.run(with: EtcdHarness(http, at: address))) } catch {
            result = .failure(error)
        }
        await http.shutdown()
        await listener.stop()
        #expect(try result.get() == .passed)
    }
}
