import Foundation
import HTTPTypes
import LiveTransport
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Uploads from a simulation to real sockets", .timeLimit(.minutes(5)))
struct LiveOutsideUploadTests {
    /// Runs a body in a simulation of real pace, with a client whose sockets are real and the authority of a server.
    private func run(
        _ server: ScriptedServer,
        _ body:
            @escaping @Sendable (OutsideTransport<LiveTransport>, _ authority: String) async throws -> Void
    ) async throws {
        let client = try LiveTransport()
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let authority = "\(listener.address)"
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        let simulation = Simulation(seed: 1, configuration: configuration)
        // A simulation blocks its thread, and the sockets need those of Swift's pool.
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: Result {
                        _ = try simulation.run { try await body(OutsideTransport(client), authority) }
                    }
                )
            }
        }
        await listener.stop()
        await client.shutdown()
        try result.get()
    }

    private static func request(_ authority: String) -> HTTPRequest {
        HTTPRequest(method: .put, scheme: "http", authority: authority, path: "/")
    }

    @Test func `a body of any size streams, and its source is not asked for more than the server takes`()
        async throws
    {
        let made = Box(0)
        let server = ScriptedServer.answering { _, _ in
            try? await Task.sleep(for: .seconds(100))
            return .empty
        }
        try await run(server) { client, authority in
            let chunk = [UInt8](repeating: 7, count: 1 << 16)
            // 2 GB, of which the sockets' buffers take some megabytes.
            let body = HTTPBody.stream(
                ByteStream { () async throws(TransportError) in
                    made.increment()
                    return made.value <= 32_768 ? chunk : nil
                },
                length: 2 << 30
            )
            let limits = HTTPLimits(connect: .seconds(100), progress: .seconds(2), head: .seconds(100))
            let error = await failure { () throws(TransportError) in
                _ = try await client.send(Self.request(authority), body: body, limits: limits)
            }
            #expect(error?.code == .timedOut)
            #expect(error?.reach == .sent)
        }
        // tcp(7): at most 6 and 4 MB by default.
        #expect((1...256).contains(made.value))
    }

    @Test
    func `a body that can be read again is opened for each request, and its source runs in the simulation`()
        async throws
    {
        let opened = Box(0)
        let server = ScriptedServer.answering { _, body in
            .text("\((try? await body.collect(upTo: 1 << 20).count) ?? -1)")
        }
        try await run(server) { client, authority in
            let body = HTTPBody.repeatable(length: 200_000) { () async throws(TransportError) in
                opened.increment()
                if Simulation.current == nil {
                    throw TransportError(.reset, operation: "open body", peer: "outside of the simulation")
                }
                return .once([UInt8](repeating: 7, count: 200_000))
            }
            for _ in 0..<2 {
                let (_, answer) = try await client.send(
                    Self.request(authority),
                    body: body,
                    timeout: .seconds(100)
                )
                let bytes = try await answer.collect(upTo: 100)
                #expect(String(decoding: bytes, as: UTF8.self) == "200000")
            }
        }
        #expect(opened.value == 2)
    }
}
