import EtcdDiscovery
import EtcdTrials
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Synchronization
import Testing
import Transport

/// What the suite cannot see: the registry's own failures, and entries that anybody has written.
@Suite("The etcd browser", .simulated(seeds: 1...8))
struct EtcdBrowserTests {
    private let etcd = ScriptedEtcd()
    private let network = SimulatedNetwork()
    private static let type = ServiceType("_http._tcp")
    private static let entry = #"{"host":"h","addresses":["192.0.2.1"],"port":80,"attributes":[]}"#

    private func place() async throws -> (phone: SimulatedHost, address: ServiceAddress) {
        let listener = try await network.host("registry")
            .listen(etcd, at: SocketAddress(host: "registry", port: 2_379))
        return (network.host("phone"), try #require(ServiceAddress("http://\(listener.address)")))
    }

    private func publish(_ name: String) async throws -> EtcdRegistration {
        let type = try #require(Self.type)
        let address = try #require(ServiceAddress("http://registry:2379"))
        let offer = ServiceOffer(name: name, type: type, port: 80)
        return try await EtcdRegistration(network.host("writer"), at: address, offer, address: "192.0.2.1")
    }

    /// Reads listings until one is as it must be, for at most a minute.
    private func waits(
        _ stream: AsyncStream<ServiceListing>,
        until isRight: @escaping @Sendable (ServiceListing) -> Bool
    ) async throws -> ServiceListing {
        let reader = Task {
            for await listing in stream where isRight(listing) { return listing as ServiceListing? }
            return nil
        }
        let alarm = Task {
            try await Task.sleep(for: .seconds(60))
            reader.cancel()
        }
        defer { alarm.cancel() }
        return try #require(await reader.value)
    }

    @Test
    func `a registry that fails is reported, what it said holds for a while, and then nothing is listed`()
        async throws
    {
        let (phone, address) = try await place()
        let type = try #require(Self.type)
        // Without a lease: nobody can renew one while the registry is down.
        etcd.put(Self.entry, at: "/services/_http._tcp/Kitchen")
        let stream = EtcdBrowser(phone, at: address).listings(of: type)
        let found = try await waits(stream) { !$0.services.isEmpty }
        #expect(found.trouble == nil)
        etcd.meet(.isDown)
        let failed = try await waits(stream) { $0.trouble != nil }
        #expect(failed.services.map(\.name) == ["Kitchen"])
        guard case .unavailable(let detail) = failed.trouble else {
            Issue.record("\(String(describing: failed.trouble))")
            return
        }
        #expect(detail.contains("503") && detail.contains("POST /v3/"), "\(detail)")
        let gone = try await waits(stream) { $0.services.isEmpty }
        #expect(gone.trouble != nil)
        etcd.meet(nil)
        let back = try await waits(stream) { $0.trouble == nil && !$0.services.isEmpty }
        #expect(back.services.map(\.name) == ["Kitchen"])
    }

    @Test(
        "a change is found within the period although watches bring no word",
        arguments: [ScriptedEtcd.Trouble.losesWatches, .cutsWatches]
    )
    func silentWatch(_ trouble: ScriptedEtcd.Trouble) async throws {
        let (phone, address) = try await place()
        let type = try #require(Self.type)
        etcd.meet(trouble)
        let stream = EtcdBrowser(phone, at: address).listings(of: type)
        _ = try await waits(stream) { $0.trouble == nil }
        try await Task.sleep(for: .seconds(3))
        _ = try await publish("Late")
        let start = ContinuousClock.now
        _ = try await waits(stream) { $0.services.map(\.name) == ["Late"] }
        #expect(.now - start <= EtcdBrowser.period + .seconds(1))
    }

    @Test func `a change is found at once where the registry says so`() async throws {
        let (phone, address) = try await place()
        let type = try #require(Self.type)
        let stream = EtcdBrowser(phone, at: address).listings(of: type)
        try await Task.sleep(for: .seconds(3))
        _ = try await publish("Late")
        let start = ContinuousClock.now
        _ = try await waits(stream) { $0.services.map(\.name) == ["Late"] }
        #expect(.now - start <= .seconds(1))
    }

    @Test(
        "what is no entry is not listed, and takes no other with it",
        arguments: [
            ("Bad", "no JSON"), ("Bad", "{}"), ("Bad", ""),
            ("Bad", #"{"host":"h","addresses":["192.0.2.1"],"port":0,"attributes":[]}"#),
            ("Bad", #"{"host":"h","addresses":["192.0.2.1"],"port":65536,"attributes":[]}"#),
            ("Bad", #"{"host":"h","addresses":["example.org"],"port":80,"attributes":[]}"#),
            ("Bad", #"{"host":"","addresses":["192.0.2.1"],"port":80,"attributes":[]}"#),
            ("Bad\u{7}", entry), ("", entry), (String(repeating: "x", count: 64), entry),
        ]
    )
    func foreignEntry(_ name: String, _ value: String) async throws {
        let (phone, address) = try await place()
        let type = try #require(Self.type)
        etcd.put(value, at: "/services/_http._tcp/\(name)")
        etcd.put(
            #"{"host":"h","addresses":["192.0.2.1","192.0.2.1","::1"],"port":80,"attributes":[]}"#,
            at: "/services/_http._tcp/Good"
        )
        let stream = EtcdBrowser(phone, at: address).listings(of: type)
        let listing = try await waits(stream) { !$0.services.isEmpty }
        #expect(listing.services.map(\.name) == ["Good"])
        #expect(listing.services.first?.ways.map(\.authority) == ["192.0.2.1:80", "[::1]:80"])
    }
}
