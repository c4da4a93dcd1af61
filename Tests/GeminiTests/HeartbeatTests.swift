import GeminiAPI
import GeminiLive
import GeminiServer
import HTTPTypes
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("A service that has gone without a word", .simulated(seeds: 1...20))
struct HeartbeatTests {
    private struct World {
        let simulation: Simulation
        let network: SimulatedNetwork
        let session: any LiveSession
    }

    private func open(_ options: GeminiOptions = GeminiOptions()) async throws -> World {
        let simulation = try #require(Simulation.current)
        let network = SimulatedNetwork(
            defaults: LinkConditions(latency: .constant(.milliseconds(30)))
        )
        let server = GeminiServer(
            GeminiServerSettings(keys: [GeminiWorld.key]),
            script: GeminiScript(brain: FixedBrain()),
            inspectFrame: TestPicture.inspect
        )
        _ = try await network.host("gemini.test").listen(
            server,
            at: SocketAddress(host: "gemini.test", port: 443)
        )
        let model = GeminiLiveModel(
            client: network.host("phone"),
            endpoint: GeminiEndpoint(authority: "gemini.test", version: "v1beta"),
            options: options
        ) { () throws(SecretStoreError) in Secret(GeminiWorld.key) }
        let session = try await model.startSession(LiveConfiguration(model: GeminiWorld.model))
        return World(simulation: simulation, network: network, session: session)
    }

    @Test func `a half-open session ends within the heartbeat, for the reader and for the sender`()
        async throws
    {
        let world = try await open()
        world.network.isolate("gemini.test")
        let start = world.simulation.now
        #expect(try await world.session.nextEvent() == .closed(code: 1006, reason: ""))
        #expect(world.simulation.now - start < .seconds(31))
        let error = await #expect(throws: LiveModelError.self) {
            try await world.session.send(frame: TestPicture.jpeg(number: 0))
        }
        #expect(error?.code == .closed)
        #expect(error?.closeCode == 1006)
    }

    @Test func `a sender whose frames lead nowhere gets an error within the heartbeat`() async throws {
        let world = try await open()
        world.network.isolate("gemini.test")
        let start = world.simulation.now
        let frame = TestPicture.jpeg(number: 0, byteCount: 100_000)
        let error = await #expect(throws: LiveModelError.self) {
            while true { try await world.session.send(frame: frame) }
        }
        #expect(error?.code == .closed)
        #expect(world.simulation.now - start < .seconds(31))
    }

    @Test func `without a heartbeat the system's patience counts`() async throws {
        let world = try await open(GeminiOptions(limits: WebSocketLimits()))
        world.network.isolate("gemini.test")
        let start = world.simulation.now
        let frame = TestPicture.jpeg(number: 0)
        _ = try? await world.session.send(frame: frame)
        _ = try await world.session.nextEvent()
        #expect(world.simulation.now - start > .seconds(900))
    }

    @Test func `a session in which nobody speaks stays open`() async throws {
        let world = try await open()
        try await Task.sleep(for: .seconds(100))
        try await world.session.send(text: "Hi")
        #expect(try await world.session.turn() == "Hello there.")
        await world.session.close()
    }

    @Test func `the error of a refused handshake has the service's words, without the key`() async throws {
        let words = #"{"error": {"code": 400, "message": "API key not valid: \#(GeminiWorld.key)"}}"#
        let network = SimulatedNetwork()
        _ = try await network.host("gemini.test").listen(
            Refusing(words: words),
            at: SocketAddress(host: "gemini.test", port: 443)
        )
        let model = GeminiLiveModel(
            client: network.host("phone"),
            endpoint: GeminiEndpoint(authority: "gemini.test", version: "v1beta")
        ) { () throws(SecretStoreError) in Secret(GeminiWorld.key) }
        let error = await #expect(throws: LiveModelError.self) {
            _ = try await model.startSession(LiveConfiguration(model: GeminiWorld.model))
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.detail.contains("API key not valid") == true)
        #expect(error?.detail.contains(GeminiWorld.key) == false)
    }
}

/// Refuses every handshake with 400 and the same words.
private struct Refusing: Server {
    let words: String

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .notFound), .empty)
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: .badRequest), .text(words))
    }
}
