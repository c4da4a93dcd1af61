import NovaServer
import Simulation
import Testing

@Suite("The simulated Nova: keys")
struct NovaKeyTests {
    @Test("signing draws no random numbers: what follows in a run of a seed stays the same")
    func signing() throws {
        func run(_ signatures: Int) throws -> (tokens: [String], draw: UInt64) {
            try Simulation(seed: 7).run {
                let issuer = AppleIssuer()
                let tokens = (0..<signatures).map { _ in issuer.identityToken() }
                return (tokens, UInt64.random(in: .min ... .max))
            }
        }
        let (none, some, again) = (try run(0), try run(5), try run(5))
        #expect(none.draw == some.draw && some.draw == again.draw)
        #expect(some.tokens == again.tokens && Set(some.tokens).count == 1)
    }

    @Test("a key shows nothing of itself, and a drawn one signs as well")
    func drawn() async throws {
        let key = try RS256Key.drawn()
        #expect("\(key)" == "<private key>")
        var project = NovaProject.seeded(users: 1, posts: 1)
        project.signingKey = key
        let nova = NovaServer(project)
        #expect(try await NovaClient(signedIn: nova).get("/feed").status == 200)
        #expect(
            try await NovaClient(signedIn: NovaServer(.seeded(users: 1, posts: 1))).get("/feed").status == 200
        )
        var stranger = NovaClient(NovaServer(.seeded(users: 1, posts: 1)))
        stranger.authorization = NovaClient(signedIn: nova).authorization
        #expect(try await stranger.get("/feed").status == 401)
    }
}
