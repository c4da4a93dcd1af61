import Foundation
import HTTPTypes
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Bodies of a simulation that the real world reads again", .timeLimit(.minutes(5)))
struct LiveOutsideRereadingTests {
    @Test(
        "a second reading gets all of the body, and ends the first one, which waits for a chunk",
        arguments: [false, true]
    )
    func rereading(firstIsCancelled: Bool) async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let first = Box<TransportError.Code?>(nil)
        let base = ReadingTransport { body throws(TransportError) in
            let reading = Task {
                await failure { () throws(TransportError) in _ = try await body.collect(upTo: 100) }
            }
            await Self.next(of: asked)
            if firstIsCancelled { reading.cancel() }
            let again = Task { () async -> Result<[UInt8], TransportError> in
                do throws(TransportError) {
                    return .success(try await body.collect(upTo: 100))
                } catch {
                    return .failure(error)
                }
            }
            first.set(await reading.value?.code)
            // The first reading's chunk comes now, too late.
            release.yield()
            return .bytes(try await again.value.get())
        }
        let received = Box<[UInt8]>([])
        let opened = Box(0)
        try await run {
            let body = HTTPBody.repeatable(length: nil) {
                opened.increment()
                guard opened.value == 1 else { return .once([1, 2, 3]) }
                return ByteStream { () async throws(TransportError) in
                    await Simulation.outside {
                        ask.yield()
                        await Self.next(of: released)
                    }
                    return [9]
                }
            }
            let request = HTTPRequest(method: .put, scheme: "http", authority: "server", path: "/")
            let (_, answer) = try await OutsideTransport(base).send(
                request,
                body: body,
                timeout: .seconds(100)
            )
            received.set(try await answer.collect(upTo: 100))
        }
        #expect(first.value == .cancelled)
        #expect(received.value == [1, 2, 3])
        #expect(opened.value == 2)
    }

    private static func next(of stream: AsyncStream<Void>) async {
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Runs a body in a simulation of real pace.
    private func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        let simulation = Simulation(seed: 1, configuration: configuration)
        // A simulation blocks its thread, and the real world needs those of Swift's pool.
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Result { _ = try simulation.run { try await body() } })
            }
        }
        try result.get()
    }
}

/// Reads the bodies of requests as its owner says, and answers with what that gives.
private struct ReadingTransport: Transport {
    let read: @Sendable (HTTPBody) async throws(TransportError) -> HTTPBody

    init(_ read: @escaping @Sendable (HTTPBody) async throws(TransportError) -> HTTPBody) {
        self.read = read
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .ok), try await read(body))
    }

    func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        throw TransportError(.refused, operation: "connect", peer: "server")
    }

    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        throw TransportError(.addressUnavailable, operation: "bind", peer: "\(address)")
    }

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] { [] }

    func interfaces() async throws(TransportError) -> [NetworkInterface] { [] }
}
