import Argus
import ArgusHub
import Foundation
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedPush
import SimulatedTransport
import SimulationTesting
import Testing

@Suite("Launch of Argus", .simulated(seeds: 1...10))
@MainActor
struct LaunchTests {
    @Test(
        "ARGUS-001 a launch builds keychain, discovery, auth and push services, starts discovery, asks for the permission to notify, and then looks whether it is paired"
    )
    func order() async throws {
        let fixture = try await ArgusFixture()
        #expect(fixture.app.launchSteps == [.keychain, .discovery, .auth, .push])
        #expect(fixture.browser.types.isEmpty && fixture.push.questions == 0)
        await fixture.app.launch()
        #expect(fixture.app.launchSteps == ArgusApp.LaunchStep.allCases)
        // What the surroundings have seen, and not what the app says of itself.
        let calls = CallOrder()
        let app = fixture.app(notedBy: calls)
        #expect(calls.all == ["read \(KeychainService.hubName)"])
        await app.launch()
        #expect(
            calls.all.dropFirst() == ["browse", "ask for permission", "read \(KeychainService.sessionName)"]
        )
        await app.shutdown()
        await fixture.app.shutdown()
    }

    @Test("ARGUS-002 ARGUS-014 without tokens the pairing is shown, and nothing is sent")
    func unpaired() async throws {
        let fixture = try await ArgusFixture()
        #expect(fixture.screens.root.state.root == .launching)
        await fixture.app.launch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing)
        #expect(fixture.http.sent.isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-002 ARGUS-013 with valid tokens the list of events is shown, without a pairing or a refresh",
        arguments: ArgusProject.Dialect.allCases
    )
    func paired(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(ArgusProject(dialect: dialect))
        try await fixture.pair()
        let requests = fixture.http.sent.count
        await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events)
        #expect(fixture.http.sent.count == requests)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-003 a pairing that succeeds shows the list of events in the same launch",
        arguments: ArgusProject.Dialect.allCases
    )
    func switches(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(ArgusProject(dialect: dialect))
        await fixture.app.launch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing)
        try await fixture.pairAgain()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-005 neither a permission that is denied, nor a question that nobody answers, nor a network without a hub keeps the root from being decided",
        arguments: [true, false],
        [true, false]
    )
    func unblocked(isAnswered: Bool, isPaired: Bool) async throws {
        let fixture = try await ArgusFixture(answer: isAnswered ? .denied : .none)
        if isPaired { try await fixture.pair() }
        let start = ContinuousClock.now
        await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == (isPaired ? .events : .pairing))
        #expect(ContinuousClock.now - start < .milliseconds(200))
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-015 an access token that has ended is renewed once at launch, and only a hub that refuses leads to the pairing",
        arguments: ["renewed", "refused", "away"]
    )
    func expired(_ outcome: String) async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 60))
        try await fixture.pair()
        try await Task.sleep(for: .seconds(61))
        if outcome == "refused" { fixture.hub.revokeFamily(of: try fixture.app.keychain.deviceID().text) }
        if outcome == "away" { fixture.network.isolate("phone") }
        await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == (outcome == "refused" ? .pairing : .events))
        if outcome != "away" { #expect(fixture.count("/auth/refresh") == 1) }
        #expect(fixture.count("/auth/verify") == 1)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-016 what is kept only in part, or cannot be read, counts as no tokens, and a pairing replaces it",
        arguments: [
            "", "{}", "garbage", #"{"token":"t"}"#, #"{"expiry":1e9,"refresh":"r"}"#,
            #"{"token":"a b","expiry":9e9,"refresh":"r"}"#, #"{"token":"t","expiry":9e9}"#,
        ]
    )
    func damaged(_ kept: String) async throws {
        let fixture = try await ArgusFixture(secrets: [KeychainService.sessionName: Secret(kept)])
        await fixture.app.launch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing && fixture.http.sent.isEmpty)
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events)
        await fixture.app.shutdown()
    }

    @Test(
        "an access token that has ended and has nothing to renew it leads to the pairing, and nothing is sent"
    )
    func nothingLeft() async throws {
        let kept = #"{"token":"t","expiry":1}"#
        let fixture = try await ArgusFixture(secrets: [KeychainService.sessionName: Secret(kept)])
        await fixture.app.launch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing && fixture.http.sent.isEmpty)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-017 ARGUS-040 the ID of the device is made once, and is the same in each pairing, after a sign-out and a new launch too"
    )
    func identity() async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        await fixture.enter(fixture.hub.makeCode())
        await fixture.screens.root.send(.signOut)
        await fixture.relaunch()
        await fixture.enter(fixture.hub.makeCode())
        let sent = fixture.http.sent(to: "/auth/verify").compactMap { $0.fields["device_id"] }
        #expect(sent.count == 3 && Set(sent).count == 1 && UUID(uuidString: sent[0]) != nil)
        await fixture.app.shutdown()
    }
}

extension UUID {
    /// As the app sends it.
    var text: String { uuidString.lowercased() }
}
