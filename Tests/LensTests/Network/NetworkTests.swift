import AppKernel
import Foundation
import Lens
import LensScreens
import Services
import SimulatedDevice
import TestSupport
import Testing

@Suite("The device's network", .timeLimit(.minutes(1)))
struct NetworkTests {
    @Test("LENS-213 a watcher gets the present state, then each change once")
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

    @Test(
        "LENS-134 without a network a message fails at once as unreachable, is kept, and can be asked again with one"
    )
    func offlineMessage() async throws {
        let model = ScriptedChatModel([[.text("Hello."), .ends(.finished(.stop, []))]])
        let fixture = try AppFixture(chat: model)
        fixture.network.report(isConnected: false)
        try await fixture.app.say("Hello?")
        await fixture.app.chat.state.reaches { !$0.isAnswering }
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

    @Test("LENS-177 without a network uploads wait, untried and pending; when it is back they are made")
    func offlineUploads() async throws {
        let fixture = try AppFixture()
        fixture.network.report(isConnected: false)
        _ = await fixture.app.launch()
        try await fixture.app.camera.connect()
        let item = try await fixture.app.capturePhoto()
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        #expect(fixture.store.puts.value.isEmpty)
        #expect(fixture.app.uploads.statuses.status(of: item.id).value == .pending)

        fixture.network.report(isConnected: true)
        await fixture.app.uploads.statuses.status(of: item.id).reaches { $0 == .completed }
        #expect(fixture.store.puts.value.count == 1)
        await fixture.app.shutdown()
    }
}
