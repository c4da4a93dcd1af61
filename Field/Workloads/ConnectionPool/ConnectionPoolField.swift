import SimulationTesting
import Testing

@Suite struct ConnectionPoolField {
    @Test(.simulated(seeds: 1...200))
    func `clients share connections that end when they are idle`() async throws {
        try await PoolWorld().run()
    }

    @Test(.simulated(seeds: 1...200))
    func `clients share connections that are tested while they are idle`() async throws {
        try await PoolWorld(keepAlive: .milliseconds(5)).run()
    }

    @Test(.simulated(seeds: 1...200))
    func `clients get connections of a server that refuses some`() async throws {
        try await PoolWorld(refusesOneOf: 3).run()
    }

    @Test(.simulated(seeds: 1...200))
    func `clients get connections of a server that closes them`() async throws {
        try await PoolWorld(serverCloses: 30).run()
    }

    @Test(.simulated(seeds: 1...200))
    func `clients get tested connections of a server that closes them`() async throws {
        try await PoolWorld(keepAlive: .milliseconds(5), serverCloses: 30).run()
    }
}
