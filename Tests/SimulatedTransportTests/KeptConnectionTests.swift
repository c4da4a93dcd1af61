import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import TransportConformance

@Suite("Kept connections on the simulated network", .simulated(seeds: 1...10, stalls: .none))
struct KeptConnectionTests {
    /// A server that answers with how many requests it has seen, and what time a request takes.
    private struct World {
        let world: SimulatedWorld
        let seen: Box<[String]>

        /// Sends a request and reads its answer; the time is what it took, in milliseconds.
        func ask(
            _ method: HTTPRequest.Method = .get,
            body: HTTPBody = .empty,
            timeout: Duration = .seconds(30)
        ) async throws -> Int {
            let time = try await world.time {
                let answer = try await world.send(method, body: body, timeout: timeout)
                _ = try await answer.body.collect(upTo: 1000)
            }
            return Int(time / .milliseconds(1))
        }
    }

    private func start(
        _ change: (inout StreamTiming) -> Void = { _ in },
        fields: HTTPFields = [:]
    ) async throws -> World {
        let seen = Box<[String]>([])
        var timing = StreamTiming()
        change(&timing)
        let server = ScriptedServer(answer: { request, body in
            seen.append("\(request.method)")
            _ = try? await body.collect(upTo: 1000)
            return (HTTPResponse(status: .ok, headerFields: fields), .text("ok"))
        })
        return World(world: try await SimulatedWorld.start(server, timing: timing), seen: seen)
    }

    @Test func `a second request to the same origin saves the round trip of the connection`() async throws {
        let world = try await start()
        #expect(try await world.ask() == 40)
        #expect(try await world.ask() == 20)
        #expect(try await world.ask(.post, body: .text("four")) == 20)
        // Another port of the same host is another origin.
        _ = try await world.world.gemini.listen(
            ScriptedServer(),
            at: SocketAddress(host: "gemini", port: 444)
        )
        let other = try await world.world.time { _ = try await world.world.send(to: "gemini:444") }
        #expect(other == .milliseconds(40))
    }

    @Test func `an answer without a body keeps its connection too`() async throws {
        let world = try await SimulatedWorld.start(
            ScriptedServer(answer: { request, _ in
                (HTTPResponse(status: request.method == .delete ? .noContent : .ok), .text("ok"))
            })
        )
        for (method, time) in [(HTTPRequest.Method.delete, 40), (.head, 20), (.delete, 20), (.get, 20)] {
            let took = try await world.time {
                let answer = try await world.send(method)
                _ = try await answer.body.collect(upTo: 10)
            }
            #expect(took == .milliseconds(time))
        }
        #expect(world.network.unreadStreams.isEmpty)
    }

    @Test(arguments: [(14.9, 20), (15.1, 40)])
    func `a client closes what it has not used for its idle time`(pause: Double, time: Int) async throws {
        let world = try await start()
        _ = try await world.ask()
        try await Task.sleep(for: .seconds(pause))
        #expect(try await world.ask() == time)
        try await Task.sleep(for: .seconds(60))
        #expect(world.world.network.openConnectionCount == 0)
    }

    @Test func `a client with an idle time of zero keeps nothing`() async throws {
        let world = try await start { $0.clientIdleTimeout = .zero }
        #expect(try await world.ask() == 40)
        try await Task.sleep(for: .milliseconds(100))
        #expect(try await world.ask() == 40)
    }

    @Test func `what the server has closed before is not used`() async throws {
        let world = try await start { $0.serverIdleTimeout = .seconds(5) }
        _ = try await world.ask()
        try await Task.sleep(for: .seconds(6))
        #expect(world.world.network.openConnectionCount == 0)
        #expect(try await world.ask(.post, body: .text("four")) == 40)
        #expect(world.seen.value == ["GET", "POST"])
    }

    /// Sends a request that is on its way while the server closes the connection.
    private func race(_ method: HTTPRequest.Method, _ body: HTTPBody) async throws -> (
        Result<Int, TransportError>, [String]
    ) {
        let world = try await start { $0.serverIdleTimeout = .seconds(5) }
        _ = try await world.ask()
        // The answer left 10 ms before it was read.
        try await Task.sleep(for: .milliseconds(4985))
        do throws(TransportError) {
            let start = world.world.simulation.now
            let answer = try await world.world.send(method, body: body)
            _ = try await answer.body.collect(upTo: 10)
            return (.success(Int((world.world.simulation.now - start) / .milliseconds(1))), world.seen.value)
        } catch {
            return (.failure(error), world.seen.value)
        }
    }

    @Test func `a request that meets a close on its way is sent again where that is safe`() async throws {
        // The close arrives after 15 ms, and a new connection costs 40.
        let (get, seen) = try await race(.get, .empty)
        #expect(try get.get() == 55)
        #expect(seen == ["GET", "GET"])
        let (put, _) = try await race(.put, .bytes([1]))
        #expect(try put.get() == 55)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put])
    func `otherwise it fails, and may have taken effect`(_ method: HTTPRequest.Method) async throws {
        // A post is not idempotent, and a stream is read once.
        let body: HTTPBody = method == .post ? .text("four") : .stream(.once([1]), length: 1)
        let (outcome, seen) = try await race(method, body)
        guard case .failure(let error) = outcome else {
            Issue.record("it was sent again")
            return
        }
        #expect(error.code == .reset && error.reach == .sent)
        #expect(seen == ["GET"])
    }

    @Test func `a server that stops takes nothing more on connections that its clients keep`() async throws {
        let world = try await start()
        _ = try await world.ask()
        await world.world.listener.stop()
        let error = await failure { () throws(TransportError) in _ = try await world.world.send(.post) }
        #expect(error?.code == .reset && error?.reach == .sent)
        #expect(world.seen.value == ["GET"])
        try await Task.sleep(for: .seconds(1))
        let late = await failure { () throws(TransportError) in _ = try await world.world.send(.post) }
        #expect(late?.code == .refused && late?.reach == .notSent)
        #expect(world.world.network.openConnectionCount == 0)
    }

    @Test(arguments: [CrashKind.process, .machine])
    func `a kept connection to a server that was started again meets a reset, and the request a new one`(
        kind: CrashKind
    ) async throws {
        let world = try await start()
        _ = try await world.ask()
        world.world.gemini.crashKind = kind
        let node = world.world.simulation.node("gemini")
        node.crash()
        node.restart()
        _ = try await world.world.gemini.listen(
            ScriptedServer.answering { _, _ in .text("again") },
            at: SocketAddress(host: "gemini", port: 443)
        )
        let answer = try await world.world.send()
        #expect(try await answer.body.collect(upTo: 10) == Array("again".utf8))
    }

    @Test func `a cut link leaves a request on a kept connection unanswered`() async throws {
        let world = try await start()
        _ = try await world.ask()
        world.world.link.isPartitioned = true
        let error = await failure { () throws(TransportError) in
            _ = try await world.world.send(timeout: .seconds(3))
        }
        #expect(error?.code == .timedOut && error?.reach == .sent)
        // Nobody uses it again.
        world.world.link.isPartitioned = false
        #expect(try await world.ask() == 40)
    }

    @Test(arguments: [(8, 20), (12, nil)] as [(Int, Int?)])
    func `a NAT drops idle streams in silence`(pause: Int, time: Int?) async throws {
        let world = try await start()
        let network = world.world.network
        let prefix = try #require(IPSubnet("192.168.1.0/24"))
        var nat = NATBehaviour.symmetric
        nat.streamTimeout = .seconds(10)
        let home = network.subnet("home", prefix, behind: nat)
        world.world.phone.move(to: home, interface: "wlan0")
        #expect(try await world.ask() == 40)
        try await Task.sleep(for: .seconds(pause))
        guard let time else {
            let error = await failure { () throws(TransportError) in
                _ = try await world.world.send(timeout: .seconds(3))
            }
            #expect(error?.code == .timedOut && error?.reach == .sent)
            return
        }
        #expect(try await world.ask() == time)
        // The time counts from the last use.
        try await Task.sleep(for: .seconds(pause))
        #expect(try await world.ask() == time)
        home.nat?.forgetMappings()
        let error = await failure { () throws(TransportError) in
            _ = try await world.world.send(timeout: .seconds(3))
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `an answer that says close ends its connection`() async throws {
        let world = try await start(fields: [.connection: "Close"])
        #expect(try await world.ask() == 40)
        try await Task.sleep(for: .milliseconds(100))
        #expect(world.world.network.openConnectionCount == 0)
        #expect(try await world.ask() == 40)
    }

    @Test func `a connection whose answer was not read, or whose body was not sent, is not kept`()
        async throws
    {
        let world = try await SimulatedWorld.start(
            .answering { _, _ in .bytes([UInt8](repeating: 1, count: 500_000)) }
        )
        _ = try await world.send()
        try await Task.sleep(for: .milliseconds(100))
        #expect(world.network.openConnectionCount == 0)
        let body = HTTPBody.stream(
            ByteStream { () async throws(TransportError) in
                do { try await Task.sleep(for: .seconds(1)) } catch {
                    throw TransportError(.cancelled, operation: "make body", peer: "test")
                }
                return [1]
            },
            length: nil
        )
        let answer = try await world.send(.post, body: body)
        _ = try await answer.body.collect(upTo: 1_000_000)
        try await Task.sleep(for: .milliseconds(100))
        #expect(world.network.openConnectionCount == 0)
    }

    @Test func `requests at the same time have connections of their own, of which eight are kept`()
        async throws
    {
        let world = try await start()
        let times = try await withThrowingTaskGroup { group in
            for _ in 0..<12 { group.addTask { try await world.ask() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(times == Array(repeating: 40, count: 12))
        try await Task.sleep(for: .seconds(1))
        #expect(world.world.network.openConnectionCount == 8)
        #expect(try await world.ask() == 20)
    }

    @Test func `connections that were closed leave their places to others`() async throws {
        let server = ScriptedServer(answer: { request, _ in
            if request.method == .delete { try? await Task.sleep(for: .seconds(30)) }
            return (HTTPResponse(status: .ok), .text("ok"))
        })
        let world = World(world: try await SimulatedWorld.start(server), seen: Box([]))
        let slow = Task { try await world.ask(.delete, timeout: .seconds(60)) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await world.ask() } }
            try await group.waitForAll()
        }
        // The others have been closed long before this one is free.
        #expect(try await slow.value == 30_040)
        #expect(world.world.network.openConnectionCount == 1)
        #expect(try await world.ask() == 20)
    }

    @Test func `a reader of an answered request does not get the next one's body`() async throws {
        let bodies = Box<[HTTPBody]>([])
        let world = try await SimulatedWorld.start(
            .answering { _, body in
                bodies.append(body)
                return .text("ok")
            }
        )
        for _ in 0..<2 {
            let answer = try await world.send(.post, body: .bytes([1, 2, 3]))
            _ = try await answer.body.collect(upTo: 10)
        }
        let first = try #require(bodies.value.first)
        let error = await failure { () throws(TransportError) in _ = try await first.collect(upTo: 10) }
        #expect(error?.code == .reset)
    }
}
