import AppKernel
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("A conversation that is cleared", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct ClearedConversationTests {
    @Test func `earlier messages that another window shows are gone there, too`() async throws {
        let fixture = try AppFixture()
        for number in 0...Conversation.window {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        let (one, other) = (ChatScreen(fixture.app), ChatScreen(fixture.app))
        one.appear()
        other.appear()
        await other.send(.showEarlier)
        #expect(other.state.messages.map(\.text) == ["0"])
        await one.send(.clearHistory)
        await other.states.reaches { $0.messages.isEmpty && !$0.hasLater && !$0.hasEarlier }
        // A page that was read before and comes after the clearing is of the conversation that is gone.
        for number in 0...Conversation.window {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        await other.states.reaches { $0.hasEarlier }
        let reading = Task.immediate { await other.send(.showEarlier) }
        await one.send(.clearHistory)
        await reading.value
        await other.states.reaches { $0.messages.isEmpty && !$0.hasLater }
        for _ in 0..<100 { await Task.yield() }
        #expect(other.state.messages.isEmpty && !other.state.hasLater)
    }
}
