import Concurrency
import HTTPTypes
import NovaServer
import ScreenKit
import Simulation
import SimulationTesting
import Testing

@testable import Nova

/// In exact time: no timer is late.
@Suite("When Nova is searched", .simulated(seeds: 1...10, stalls: .none))
@MainActor
struct SearchTimeTests {
    private func searches(_ fixture: NovaFixture) -> [String] {
        fixture.http.sent(.get, "/search/users").map(\.line)
    }

    @Test("NOVA-053 a search begins 300 ms after the last keystroke, with the last text alone")
    func debounce() async throws {
        let fixture = try await NovaFixture()
        let search = fixture.screens.search
        var typed = ContinuousClock.now
        for text in ["g", "gr", "gra"] {
            typed = .now
            await search.send(.setQuery(text))
            await fixture.settle(.milliseconds(299))
            #expect(searches(fixture).isEmpty)
        }
        await fixture.settle(.milliseconds(2))
        #expect(searches(fixture) == ["GET /search/users?q=gra&page=0&limit=20"])
        let waited = try #require(fixture.http.sent(.get, "/search/users").first).instant - typed
        #expect((.milliseconds(300)..<(.milliseconds(301))).contains(waited))
        await fixture.settle(.seconds(1))
        #expect(searches(fixture).count == 1)
        await fixture.app.shutdown()
    }
}
