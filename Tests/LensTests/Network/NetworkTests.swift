import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import Services
import SimulatedDevice
import Simulation
import TestSupport
import Testing

@Suite("The device's network", .timeLimit(.minutes(10)))
struct NetworkTests {
    @Test("a watcher gets the present state, then each change once")
    func changes() async {
        for isConnected in [true, false] {
            let monitor = SimulatedNetworkMonitor(isConnected: isConnected)
            #expect(monitor.isConnected == isConnected)
            var changes = monitor.changes().makeAsyncIterator()
            #expect(await changes.next() == isConnected)
            monitor.report(isConnected: isConnected)
            monitor.report(isConnected: !isConnected)
            monitor.report(isConnected: !isConnected)
            monitor.report(isConnected: isConnected)
            #expect(monitor.isConnected == isConnected)
            #expect(await changes.next() == !isConnected)
            #expect(await changes.next() == isConnected)
            var late = monitor.changes().makeAsyncIterator()
            #expect(await late.next() == isConnected)
        }
    }

    @Test func `an unwatched network is there, and does not change`() async {
        #expect(UnwatchedNetwork().isConnected)
        var seen: [Bool] = []
        for await isConnected in UnwatchedNetwork().changes() { seen.append(isConnected) }
        #expect(seen == [true])
    }

    /// Runs a body with an app, in several orders and in virtual time.
    private func simulated(
        chat: @escaping @Sendable () -> ScriptedChatModel = { ScriptedChatModel() },
        _ body: @escaping @Sendable (AppFixture, ScriptedChatModel) async throws -> Void
    ) throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                let model = chat()
                let fixture = try AppFixture(chat: model)
                fixture.network.report(isConnected: false)
                _ = await fixture.app.launch()
                try await body(fixture, model)
                await fixture.app.shutdown()
            }
        }
    }

    @Test(
        "LENS-134 without a network a message fails at once as unreachable, is kept, and can be asked again with one"
    )
    func offlineMessage() throws {
        let answer = ScriptedChatModel.Step.text("Hello.")
        try simulated(chat: { ScriptedChatModel([[answer, .ends(.finished(.stop, []))]]) }) {
            fixture,
            model in
            let begun = ContinuousClock.now
            try await fixture.app.say("Hello?")
            await fixture.app.chat.state.reaches { !$0.isAnswering }
            #expect(ContinuousClock.now - begun < .milliseconds(100))
            guard case .model(let error)? = fixture.app.chat.state.value.failure else {
                Issue.record("there is no failure of the model")
                return
            }
            #expect(error.code == .unreachable)
            #expect("\(error)".contains("no network"))
            #expect(model.requests.isEmpty)
            #expect(fixture.app.conversation.content.value.messages.map(\.role) == [.user])

            fixture.network.report(isConnected: true)
            try await fixture.app.askAgain()
            await fixture.app.chat.state.reaches { !$0.isAnswering }
            #expect(fixture.app.chat.state.value.failure == nil)
            #expect(fixture.app.conversation.content.value.messages.map(\.role) == [.user, .assistant])
        }
    }

    @Test("LENS-177 without a network uploads wait, untried and pending; when it is back they are made")
    func offlineUploads() throws {
        try simulated { fixture, _ in
            try await fixture.app.camera.connect()
            let item = try await fixture.app.capturePhoto()
            try fixture.app.uploads.add(item)
            try await Task.sleep(for: .seconds(3_600))
            #expect(fixture.store.puts.value.isEmpty)
            #expect(fixture.app.uploads.statuses.status(of: item.id).value == .pending)

            fixture.network.report(isConnected: true)
            try await Task.sleep(for: .seconds(1))
            #expect(fixture.app.uploads.statuses.status(of: item.id).value == .completed)
            #expect(fixture.store.puts.value.count == 1)
        }
    }

    @Test func `uploads wait when the network goes while the app runs`() throws {
        try simulated { fixture, _ in
            for isConnected in [true, false] {
                fixture.network.report(isConnected: isConnected)
                try await Task.sleep(for: .seconds(1))
            }
            try await fixture.app.camera.connect()
            try fixture.app.uploads.add(try await fixture.app.capturePhoto())
            try await Task.sleep(for: .seconds(3_600))
            #expect(fixture.store.puts.value.isEmpty)
        }
    }
}
