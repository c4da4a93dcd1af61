import Argus
import ArgusHub
import Concurrency
import Foundation
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Discovery of Argus", .simulated(seeds: 1...10))
@MainActor
struct DiscoveryTests {
    @Test("the app browses for _argusai._tcp from its launch on")
    func type() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        #expect(fixture.browser.types.map(\.description) == ["_argusai._tcp"])
        await fixture.app.shutdown()
    }

    @Test("ARGUS-043 a hub that is resolved to an address and a port becomes the local URL")
    func resolved() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.find(fixture.found(at: ["192.168.1.100"]))
        #expect(fixture.app.discovery.localDeviceURL.value?.description == "http://192.168.1.100:8080")
        await fixture.app.shutdown()
    }

    @Test("ARGUS-044 the base URL is the local one where a hub is found, else that of the relay")
    func base() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        #expect(fixture.app.discovery.baseURL?.description == "http://relay:80")
        await fixture.find(fixture.found(at: ["10.1.2.3"]))
        #expect(fixture.app.discovery.baseURL?.description == "http://10.1.2.3:8080")
        await fixture.find()
        #expect(fixture.app.discovery.baseURL?.description == "http://relay:80")
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-045 each call asks for the base URL: what is found in the middle of a session takes the next call, of every kind"
    )
    func perRequest() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        await fixture.find(fixture.found())
        try await fixture.pair()
        let local = "\(fixture.network.host("hub").addresses[0]):8080"
        #expect(fixture.authorities == [local])
        let api = fixture.app.api
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await api.fetchEvents(page: 1) }, { _ = try await api.fetchEventDetail(id: "evt_1") },
            { _ = try await api.fetchCameras() }, { try await api.registerPushToken("00") },
            {
                let event = Event(
                    id: "evt_1",
                    cameraID: "c",
                    timestamp: Date(),
                    detectionType: .other,
                    description: ""
                )
                _ = try await api.fetchThumbnail(of: event)
            },
        ]
        for call in calls {
            await fixture.find()
            try await call()
            #expect(fixture.authorities.last == ArgusFixture.relay)
            await fixture.find(fixture.found())
            try await call()
            #expect(fixture.authorities.last == local)
        }
        try await fixture.app.auth.refreshAccessToken()
        #expect(fixture.authorities.last == local)
        await fixture.app.shutdown()
    }

    @Test("ARGUS-046 where no hub is found the relay is used, and no error is shown")
    func relay() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        try await fixture.pair()
        await fixture.screens.events.send(.load)
        #expect(fixture.screens.events.state.rows.count == 1)
        #expect(fixture.screens.events.state.errorMessage == nil)
        #expect(Set(fixture.authorities) == [ArgusFixture.relay])
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-047 without the internet the app works where a hub answers at home, also for the first call of a launch"
    )
    func offline() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        await fixture.find(fixture.found())
        try await fixture.pair()
        fixture.network.partition(["phone"], ["relay"])
        await fixture.find()
        await fixture.relaunch()
        let events = fixture.screens.events
        async let loaded: Void = events.send(.load)
        // The hub answers while the first call waits for it.
        try await Task.sleep(for: .milliseconds(400))
        await fixture.find(fixture.found())
        await loaded
        #expect(events.state.rows.count == 1 && events.state.errorMessage == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "a hub that goes or does not answer is left for the relay, without an error, and used again when more is heard of it",
        arguments: ["gone", "dead", "silent"]
    )
    func fallsBack(_ how: String) async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        await fixture.find(fixture.found(for: 120))
        try await fixture.pair()
        let local = fixture.app.discovery.localDeviceURL
        #expect(local.value != nil)
        switch how {
        case "gone": await fixture.find()
        case "dead": await fixture.local.stop()
        default: fixture.network.partition(["phone"], ["hub"])
        }
        let start = ContinuousClock.now
        await fixture.screens.events.send(.load)
        #expect(fixture.screens.events.state.rows.count == 1)
        #expect(fixture.screens.events.state.errorMessage == nil)
        // A hub that is silent has its ten seconds to answer, once.
        #expect(ContinuousClock.now - start < .seconds(11))
        #expect(local.value == nil && fixture.authorities.last == ArgusFixture.relay)
        #expect(fixture.browser.reconfirmed.isEmpty == (how == "gone"))
        // The same as before is no news of it.
        if how != "gone" {
            let sent = fixture.http.sent.count
            await fixture.screens.events.send(.refresh)
            #expect(fixture.authorities.dropFirst(sent).allSatisfy { $0 == ArgusFixture.relay })
        }
        fixture.network.heal()
        try await Task.sleep(for: .seconds(5))
        await fixture.find(fixture.found(for: 400))
        #expect(local.value != nil)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-049 an address of IPv6 stands in brackets, and a link-local one that needs its zone is passed over"
    )
    func ipv6() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.find(fixture.found(at: ["fe80::1%eth0", "fd00::12"]))
        #expect(fixture.app.discovery.localDeviceURL.value?.description == "http://[fd00::12]:8080")
        await fixture.find(fixture.found(at: ["fe80::1%eth0"]))
        #expect(fixture.app.discovery.localDeviceURL.value == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-050 of several hubs that one is used which was resolved first, whatever its name, until it goes"
    )
    func several() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        let (first, second) = (
            fixture.found("Z", id: nil, at: ["10.0.1.1"]), fixture.found("A", id: nil, at: ["10.0.1.2"])
        )
        await fixture.find(first)
        await fixture.find(second, first)
        #expect(fixture.app.discovery.localDeviceURL.value?.description == "http://10.0.1.1:8080")
        await fixture.find(second)
        #expect(fixture.app.discovery.localDeviceURL.value?.description == "http://10.0.1.2:8080")
        await fixture.find(second, first)
        #expect(fixture.app.discovery.localDeviceURL.value?.description == "http://10.0.1.2:8080")
        await fixture.app.shutdown()
    }

    @Test("ARGUS-052 a search that is ended finds nothing, and one that begins again finds what is there")
    func restarts() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.find(fixture.found())
        for _ in 0..<3 {
            fixture.app.discovery.stop()
            await fixture.settle()
            #expect(fixture.browser.readers == 0 && fixture.app.discovery.localDeviceURL.value == nil)
            await fixture.find(fixture.found())
            #expect(fixture.app.discovery.localDeviceURL.value == nil)
            fixture.app.discovery.startDiscovery()
            fixture.app.discovery.startDiscovery()
            await fixture.settle()
            #expect(fixture.browser.readers == 1 && fixture.app.discovery.localDeviceURL.value != nil)
        }
        await fixture.app.shutdown()
    }

    @Test(
        "no token goes to a public address, to a hub of another ID, or to one that says no ID, once the paired hub has one",
        arguments: ["8.8.8.8", "172.32.0.1", "2001:db8::1", "other", "none"],
        [true, false]
    )
    func stranger(_ which: String, isPairedAtHome: Bool) async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        if isPairedAtHome { await fixture.find(fixture.found()) }
        try await fixture.pair()
        let paired = fixture.http.sent.count
        switch which {
        case "other": await fixture.find(fixture.found(id: "hub-2"))
        case "none": await fixture.find(fixture.found(id: nil))
        default: await fixture.find(fixture.found(at: [which]))
        }
        #expect(fixture.app.discovery.localDeviceURL.value == nil)
        await fixture.screens.events.send(.load)
        #expect(fixture.screens.events.state.rows.count == 1)
        #expect(fixture.authorities.dropFirst(paired).allSatisfy { $0 == ArgusFixture.relay })
        // After a new launch, too.
        await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.app.discovery.localDeviceURL.value == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "with a hub that says no ID, only a hub that says none is used, and a pairing finds each hub again",
        arguments: [true, false]
    )
    func nameless(_ isNamed: Bool) async throws {
        let fixture = try await ArgusFixture()
        let answer: [String: JSONValue] = [
            "access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer",
        ]
        let app = fixture.app(over: ScriptedHub(body: .object(answer)) { _ in 200 })
        await app.launch()
        await fixture.find(fixture.found(id: nil))
        try await app.auth.verifyPairingCode("123456")
        #expect(app.discovery.localDeviceURL.value != nil)
        await fixture.find(fixture.found(id: isNamed ? "hub-1" : nil))
        #expect((app.discovery.localDeviceURL.value == nil) == isNamed)
        try await app.auth.signOut()
        try await app.auth.verifyPairingCode("123456")
        #expect(app.discovery.localDeviceURL.value != nil)
        await app.shutdown()
    }

    @Test("a hub with two addresses is reached at the second where the first does not answer")
    func secondWay() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        let right = fixture.network.host("hub").addresses[0].description
        await fixture.find(fixture.found(at: ["10.77.0.1", right]))
        try await fixture.pair()
        #expect(fixture.authorities == ["10.77.0.1:8080", "\(right):8080"])
        await fixture.app.shutdown()
    }
}
