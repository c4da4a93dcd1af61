import Argus
import ArgusHub
import ArgusScenarios
import Concurrency
import ScenarioKit
import ScreenKit
import ServiceClient
import SimulationTesting
import Testing

@Suite("Discovery of Argus by multicast DNS", .simulated(seeds: 1...5))
struct RealDiscoveryTests {
    @Test(
        "ARGUS-042 ARGUS-048 the hub is found by its service type over multicast DNS from the launch on, and left for the relay when it says goodbye, when what is known of it expires, and when it does not answer",
        arguments: ["goodbye", "expiry", "silence"]
    )
    func leaves(_ how: String) async throws {
        let world = try await ArgusWorld.start()
        let start = ContinuousClock.now
        try await world.wait { $0.app.discovery.localDeviceURL.value != nil }
        #expect(ContinuousClock.now - start < .seconds(2))
        let code = world.hub.makeCode()
        try await world.onPhone { phone in
            await phone.screens.pairing.send(.setCode(code))
            await phone.screens.pairing.send(.submit)
            #expect(phone.app.auth.isAuthenticated.value)
            #expect(phone.app.discovery.localDeviceURL.value?.authority.hasSuffix(":8001") == true)
        }
        // The registration for notifications is behind: nothing else is sent.
        try await Task.sleep(for: .seconds(5))
        await world.leaveHome(sayingGoodbye: how == "goodbye")
        if how == "silence" {
            try await world.onPhone { phone in
                await phone.screens.events.send(.load)
                #expect(phone.screens.events.state.errorMessage == nil)
                #expect(phone.app.discovery.localDeviceURL.value == nil)
            }
        } else {
            // A goodbye has a second (RFC 6762 section 10.1); addresses are known for two minutes (section 10).
            let limit: Duration = how == "goodbye" ? .seconds(3) : .seconds(125)
            let left = ContinuousClock.now
            try await world.wait { $0.app.discovery.localDeviceURL.value == nil }
            #expect(ContinuousClock.now - left < limit)
            #expect(how == "goodbye" || ContinuousClock.now - left > .seconds(60))
        }
        try await world.onPhone { phone in
            await phone.screens.events.send(.load)
            #expect(phone.screens.events.state.errorMessage == nil)
            #expect(phone.app.discovery.baseURL?.description.contains("relay") == true)
        }
        try await world.base.shutdown()
    }
}

extension ArgusWorld {
    /// Waits until something holds on the phone, for five minutes at most.
    func wait(until holds: @escaping @MainActor @Sendable (ArgusPhone) -> Bool) async throws {
        for _ in 0..<3_000 {
            if try await onPhone({ holds($0) }) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("it never held")
    }
}
