import AppKernel
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("Pages of a conversation that come late", .simulated(seeds: 1...10, configuration: .shortWaits))
@MainActor
struct ChatPageOverlapTests {
    @Test
    func
        `the newest messages are shown after a message was sent, and after they were asked for, whatever was read before`()
        async throws
    {
        let fixture = try AppFixture(chat: ScriptedChatModel())
        for number in 0...Conversation.window {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        for round in 0..<8 {
            let reading = (0..<Int.random(in: 1...3)).map { _ in
                Task.immediate { await screen.send(.showEarlier) }
            }
            for _ in 0..<Int.random(in: 0..<3) { await Task.yield() }
            let isSaying = Bool.random()
            if isSaying {
                await screen.send(.say("Round \(round)"))
            } else {
                await screen.send(.showNewest)
            }
            for task in reading { await task.value }
            #expect(!screen.state.hasLater, "round \(round), \(isSaying)")
            if isSaying {
                #expect(screen.state.messages.contains { $0.text == "Round \(round)" })
                await fixture.app.chat.state.reaches { !$0.isAnswering }
            }
        }
        await fixture.app.shutdown()
    }
}
