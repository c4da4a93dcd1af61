import Concurrency
import Foundation
import ScreenKit
import Testing

@Suite("Secrets in encoded actions")
@MainActor
struct EncodedSecretTests {
    private enum Action: Codable, Hashable, Sendable {
        struct Entry: Codable, Hashable, Sendable {
            var name: String
            var secret: EnteredSecret?
        }

        case log(String)
        case keep(EnteredSecret)
        case enter([Entry])
    }

    private final class Vault: Screen {
        let states = CurrentValue(0).published
        var sent: [Action] = []

        func appear() {}
        func disappear() {}
        func send(_ action: Action) async { sent.append(action) }
    }

    @Test(arguments: [
        (#"{"keep":{"_0":"typed"}}"#, true), (#"{"keep":{"_0":""}}"#, true),
        (#"{"enter":{"_0":[{"name":"a"},{"name":"b","secret":"typed"}]}}"#, true),
        (#"{"enter":{"_0":[{"name":"typed"}]}}"#, false), (#"{"log":{"_0":"typed"}}"#, false),
    ]) func `an action says whether a secret is in it, wherever it is`(
        _ action: (json: String, hasSecret: Bool)
    ) async throws {
        let vault = Vault()
        let screen = EncodedScreen("vault", vault)
        let sent = try screen.action(Data(action.json.utf8))
        #expect(sent.hasSecret == action.hasSecret)
        let kept = String(decoding: sent.action, as: UTF8.self)
        #expect(kept.contains("typed") == !action.hasSecret)
        let masked = action.json.replacing("typed", with: EnteredSecret.mask(of: 5))
        #expect(kept == (action.hasSecret ? masked : action.json))
        await sent.perform()
        #expect(vault.sent.count == 1)
        if case .keep(let secret) = vault.sent.first, action.json.contains("typed") {
            #expect(secret.reveal() == "typed")
        }
        // What was read before counts for nothing.
        #expect(try !screen.action(Data(#"{"log":{"_0":"x"}}"#.utf8)).hasSecret)
    }
}
