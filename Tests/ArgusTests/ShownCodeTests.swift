import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Pairing of Argus by a code that it shows", .simulated(seeds: 1...10))
@MainActor
struct ShownCodeTests {
    private func fixture(_ change: (inout ArgusProject) -> Void = { _ in }) async throws -> ArgusFixture {
        var project = ArgusProject(dialect: .hub)
        change(&project)
        let fixture = try await ArgusFixture(project)
        await fixture.app.launch()
        return fixture
    }

    private func polls(_ fixture: ArgusFixture) -> Int {
        fixture.paths.count { $0.contains("/auth/status/") }
    }

    @Test(
        "the app asks for a code, shows it with the seconds that are left, asks every two seconds whether it was confirmed, and exchanges it; none of it carries a token"
    )
    func pairing() async throws {
        let fixture = try await fixture()
        let screen = fixture.screens.pairing
        #expect(screen.state.dialect == .hub && screen.state.shown == nil)
        let code = try await fixture.requestCode()
        let shown = try #require(screen.state.shown)
        #expect((295...300).contains(shown.secondsLeft) && shown.hubName == nil)
        #expect(screen.state.progress.isLoading && !screen.state.canSubmit)
        try await Task.sleep(for: .seconds(10.5))
        #expect((4...6).contains(polls(fixture)) && fixture.count("/auth/exchange") == 0)
        #expect((283...291).contains(screen.state.shown?.secondsLeft ?? 0))
        #expect(fixture.hub.confirm(code))
        try await Task.sleep(for: .seconds(3))
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events && screen.state.shown == nil)
        #expect(!screen.state.progress.isLoading && !screen.state.progress.showErrorAlert)
        let sent = fixture.http.sent
        let asked = try #require(sent.first)
        #expect(asked.request.method == .post && asked.request.path == "/api/v1/mobile/auth/pair")
        #expect(try asked.fields["device_id"] == fixture.app.keychain.deviceID().text)
        #expect(asked.fields["platform"] == "ios" && asked.fields["device_name"]?.isEmpty == false)
        #expect(fixture.http.sent(to: "/auth/exchange").map(\.fields) == [["code": code]])
        #expect(sent.allSatisfy { $0.request.headerFields[.authorization] == nil })
        let before = polls(fixture)
        try await Task.sleep(for: .seconds(20))
        #expect(polls(fixture) == before)
        await fixture.app.shutdown()
    }

    @Test("a question that fails costs nothing: the code stays, and pairs when the hub answers again")
    func singleErrors() async throws {
        let fixture = try await fixture()
        let code = try await fixture.requestCode()
        for point in ["argus.500", "argus.malformed", "argus.422", "argus.busy"] {
            try fixture.hub.faults.arm(point, atMost: 1)
            try await Task.sleep(for: .seconds(4))
            fixture.hub.faults.disarm()
        }
        fixture.network.isolate("phone")
        try await Task.sleep(for: .seconds(40))
        #expect(fixture.hub.confirm(code))
        fixture.network.heal()
        #expect(fixture.screens.pairing.state.shown?.code == code)
        // The exchange is refused once before it does anything.
        try fixture.hub.faults.arm("argus.busy", skipping: 1, atMost: 1)
        try await Task.sleep(for: .seconds(20))
        #expect(fixture.app.auth.isAuthenticated.value && fixture.count("/auth/exchange") == 2)
        await fixture.app.shutdown()
    }

    @Test(
        "a code that nobody confirms, or that a person refuses, ends with a message; then another one can be had",
        arguments: [true, false]
    )
    func ends(_ isRefused: Bool) async throws {
        let fixture = try await fixture { $0.codeLifetime = 60 }
        let screen = fixture.screens.pairing
        let code = try await fixture.requestCode()
        if isRefused {
            let path = "/api/v1/mobile/auth/pending/\(code)"
            var request = HTTPRequest(method: .delete, scheme: "http", authority: "relay:80", path: path)
            request.headerFields[.authorization] = "Bearer \(fixture.hub.project.adminToken)"
            let answer = await fixture.hub.respond(to: request, body: .empty)
            #expect(answer.head.status == .ok)
            try await Task.sleep(for: .seconds(3))
        } else {
            try await Task.sleep(for: .seconds(58))
            #expect(screen.state.shown?.code == code)
            try await Task.sleep(for: .seconds(4))
        }
        #expect(screen.state.shown == nil && !screen.state.progress.isLoading)
        #expect(screen.state.progress.errorMessage == PairingError.codeEnded.localizedDescription)
        #expect(screen.state.progress.showErrorAlert && fixture.count("/auth/exchange") == 0)
        let before = polls(fixture)
        try await Task.sleep(for: .seconds(20))
        #expect(polls(fixture) == before)
        try await fixture.pairAgain()
        await fixture.app.shutdown()
    }

    @Test("a code that is confirmed in its last second pairs")
    func lastSecond() async throws {
        let fixture = try await fixture { $0.codeLifetime = 60 }
        let code = try await fixture.requestCode()
        while (fixture.screens.pairing.state.shown?.secondsLeft ?? 0) > 1 {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(fixture.hub.confirm(code))
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test(
        "an exchange whose answer is lost is explained as that, and not by the code",
        arguments: [0.0, 12.0]
    )
    func lostExchange(_ silence: Double) async throws {
        let fixture = try await fixture()
        let code = try await fixture.requestCode()
        try await Task.sleep(for: .milliseconds(100))
        #expect(fixture.hub.confirm(code))
        // The first is the question, which confirms; the second the exchange.
        try fixture.hub.faults.arm("argus.answerLost", values: ["silence": silence], skipping: 1, atMost: 1)
        try await Task.sleep(for: .seconds(20))
        let progress = fixture.screens.pairing.state.progress
        let expected: APIError = silence == 0 ? .server(status: 504) : .network
        #expect(progress.errorMessage == expected.localizedDescription && progress.showErrorAlert)
        #expect(fixture.count("/auth/exchange") == 1 && !fixture.app.auth.isAuthenticated.value)
        try await fixture.pairAgain()
        await fixture.app.shutdown()
    }

    @Test("a neighbour's hub gives a code, too: the next one that is asked for comes from another hub")
    func neighbour() async throws {
        let fixture = try await fixture()
        let other = ArgusHub(ArgusProject(dialect: .hub, hubID: "other"))
        let host = fixture.network.host("neighbour")
        _ = try await host.listen(other, at: SocketAddress(host: "neighbour", port: 8080))
        let theirs = host.addresses[0].description
        await fixture.find(fixture.found("A", id: "other", at: [theirs]))
        await fixture.find(fixture.found("A", id: "other", at: [theirs]), fixture.found("B"))
        let screen = fixture.screens.pairing
        let first = try await fixture.requestCode()
        #expect(screen.state.shown?.hubName == "A" && !fixture.hub.confirm(first))
        let second = try await fixture.requestCode()
        #expect(screen.state.shown?.hubName == "B" && fixture.hub.confirm(second))
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.app.auth.isAuthenticated.value)
        let own = "\(fixture.network.host("hub").addresses[0]):8080"
        #expect(fixture.app.discovery.baseURL?.authority == own)
        // Nobody asks for the first one any more.
        let asked = other.requestCount
        try await Task.sleep(for: .seconds(20))
        #expect(other.requestCount == asked)
        await fixture.app.shutdown()
    }

    @Test("a hub that moves while its code is shown is asked at its new address")
    func moves() async throws {
        let fixture = try await fixture()
        await fixture.find(fixture.found())
        let code = try await fixture.requestCode()
        await fixture.local.stop()
        let host = fixture.network.host("elsewhere")
        _ = try await host.listen(fixture.hub, at: SocketAddress(host: "elsewhere", port: 8080))
        await fixture.find(fixture.found(at: [host.addresses[0].description]))
        #expect(fixture.hub.confirm(code))
        try await Task.sleep(for: .seconds(10))
        #expect(fixture.app.auth.isAuthenticated.value)
        #expect(!fixture.authorities.contains(ArgusFixture.relay))
        await fixture.app.shutdown()
    }

    @Test(
        "a code that is given up is not asked about any more, nor is one whose screen is gone",
        arguments: [true, false]
    )
    func givenUp(_ byPerson: Bool) async throws {
        let fixture = try await fixture()
        let code = try await fixture.requestCode()
        if byPerson {
            await fixture.screens.pairing.send(.cancelCode)
            #expect(fixture.screens.pairing.state.shown == nil)
            #expect(!fixture.screens.pairing.state.progress.isLoading)
            #expect(!fixture.screens.pairing.state.progress.showErrorAlert)
        } else {
            fixture.screens.disappear()
        }
        await fixture.settle()
        let before = polls(fixture)
        #expect(fixture.hub.confirm(code))
        try await Task.sleep(for: .seconds(20))
        #expect(polls(fixture) == before && !fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test("a hub that gives no more codes is explained with the time to wait")
    func limit() async throws {
        let fixture = try await fixture()
        for _ in 0..<5 { _ = try await fixture.requestCode() }
        await fixture.screens.pairing.send(.requestCode)
        let state = fixture.screens.pairing.state
        let expected = PairingError.tooManyCodes(wait: .seconds(60))
        #expect(state.shown == nil && state.progress.errorMessage == expected.localizedDescription)
        #expect(expected.localizedDescription.contains("60"))
        await fixture.app.shutdown()
    }

    @Test("a session that was kept in the other dialect cannot be renewed here, and leads to the pairing")
    func otherDialect() async throws {
        let kept = #"{"token":"t","expiry":9e9,"refresh":"r"}"#
        let secrets = [KeychainService.sessionName: Secret(kept)]
        let fixture = try await ArgusFixture(ArgusProject(dialect: .hub), secrets: secrets)
        await fixture.app.launch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing && fixture.http.sent.isEmpty)
        await fixture.app.shutdown()
    }
}
