import Argus
import ArgusHub
import ArgusScenarios
import PeerKit
import PushConnection
import PushProvider
import PushServer
import Services
import SimulatedDevice
import SimulatedPush
import SimulatedTransport
import SimulationTesting
import Synchronization
import TestSupport
import Testing
import Transport

/// A hub that sends its pushes through a push service, and a phone whose system is a device of that service.
@MainActor
private final class PushHome {
    static let topic = "dev.lenssim.argus"

    let fixture: ArgusFixture
    let service: PushServer
    let system: PushConnection
    private let tokens: Task<Void, Never>

    init(_ project: ArgusProject = ArgusProject()) async throws {
        let pushes = LatePushes()
        fixture = try await ArgusFixture(project, pushes: pushes)
        let signer = RepeatableSigner([UInt8](repeating: 7, count: 32))
        service = PushServer(
            PushProject(
                teamID: "TEAM000001",
                keys: [PushProject.Key(id: "KEY0000001", publicKey: try signer.publicKey())],
                topics: [Self.topic]
            )
        )
        let host = fixture.network.host("push")
        _ = try await host.listen(service.providerSide, at: SocketAddress(host: "push", port: 80))
        _ = try await host.listen(service.deviceSide, at: SocketAddress(host: "push", port: 81))
        pushes.set(
            ProviderPushes(
                PushProvider(
                    scheme: "http",
                    authority: "push:80",
                    topic: Self.topic,
                    credentials: PushProvider.Credentials(
                        teamID: "TEAM000001",
                        keyID: "KEY0000001",
                        signer: signer
                    ),
                    over: fixture.network.host("hub")
                )
            )
        )
        let address = try #require(PushServiceAddress("ws://push:81/device"))
        let centre = fixture.push
        system = PushConnection(
            PushConnection.Settings(service: address, topic: Self.topic),
            over: fixture.network.host("phone"),
            memory: InMemorySecretStore()
        ) { notification in
            centre.deliver(notification)
        }
        let stream = system.deviceTokens()
        tokens = Task { for await token in stream { centre.setToken(token) } }
        #expect(await system.requestAuthorization())
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        try #require(fixture.hub.pushTokens.map(\.token) == service.tokens)
    }

    func end() async {
        await system.shutdown()
        tokens.cancel()
        await fixture.app.shutdown()
    }
}

/// Pushes that go where a test says once it knows.
private final class LatePushes: HubPushes {
    private let base = Box<(any HubPushes)?>(nil)

    func set(_ pushes: any HubPushes) { base.set(pushes) }

    func send(_ push: HubPush) async -> HubPushOutcome { await base.value?.send(push) ?? .retry() }
}

@Suite("Argus with a push service", .simulated(seeds: 1...10))
@MainActor
struct PushServiceTests {
    @Test(
        "ARGUS-064 what is delivered while the app is open, in the background or closed is shown as a notification",
        arguments: ["foreground", "background", "closed"]
    )
    func states(_ state: String) async throws {
        let home = try await PushHome()
        if state == "background" { home.fixture.screens.disappear() }
        if state == "closed" { await home.fixture.app.shutdown() }
        home.fixture.hub.add(.sample(1, "motion"))
        await home.fixture.settle(.seconds(3))
        #expect(home.fixture.push.shown.map(\.title) == ["Motion Detected"])
        #expect(home.fixture.push.shown.map(\.body) == ["Front Door Camera"])
        await home.end()
    }

    @Test(
        "ARGUS-062 the hub drops a token that the push service answers with 410, and one that it answers with 400",
        arguments: [410, 400]
    )
    func dropped(_ status: Int) async throws {
        let home = try await PushHome()
        let token = try #require(home.service.tokens.first)
        if status == 410 {
            // The app was removed while the phone was off.
            await home.system.shutdown()
            home.service.end(token)
        } else {
            // As from another environment.
            home.fixture.push.setToken([UInt8](repeating: 0xAB, count: 32))
            await home.fixture.settle(.seconds(3))
        }
        #expect(home.fixture.hub.pushTokens.count == 1)
        home.fixture.hub.add(.sample(1, "motion"))
        await home.fixture.settle(.seconds(3))
        #expect(home.fixture.hub.pushTokens.isEmpty && home.fixture.push.shown.isEmpty)
        let statuses = home.service.log.compactMap {
            if case .refused(_, let status, _) = $0 { status } else { nil }
        }
        #expect(statuses == [status])
        await home.end()
    }

    @Test(
        "ARGUS-062 the hub sends again, after longer and longer waits, what the push service answers with 429 and 5xx, and it is shown once",
        arguments: ["push.429", "push.500", "push.503", "push.shutdown", "push.answerLost"]
    )
    func retried(_ fault: String) async throws {
        let home = try await PushHome()
        try home.service.faults.arm(fault, atMost: 2)
        home.fixture.hub.add(.sample(1, "motion"))
        await home.fixture.settle(.seconds(30))
        let retries = home.fixture.hub.log.compactMap {
            if case .pushRetried(_, _, let retry) = $0 { retry } else { nil }
        }
        #expect(retries == [1, 2])
        #expect(home.fixture.push.shown.map(\.title) == ["Motion Detected"])
        #expect(home.fixture.hub.pushTokens.count == 1)
        await home.end()
    }

    @Test("what is sent while the phone has no network is shown when it has, and another token is registered")
    func outage() async throws {
        let home = try await PushHome()
        home.fixture.network.isolate("phone")
        await home.fixture.settle(.seconds(120))
        home.fixture.hub.add(.sample(1, "motion"))
        await home.fixture.settle(.seconds(5))
        #expect(home.fixture.push.shown.isEmpty)
        home.fixture.network.heal()
        await home.fixture.settle(.seconds(120))
        #expect(home.fixture.push.shown.map(\.title) == ["Motion Detected"])
        home.service.renew(try #require(home.service.tokens.first))
        await home.fixture.settle(.seconds(10))
        #expect(home.fixture.hub.pushTokens.map(\.token) == home.service.tokens)
        await home.end()
    }
}
