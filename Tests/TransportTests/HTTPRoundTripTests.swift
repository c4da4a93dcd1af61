import Foundation
import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("HTTP over live sockets", .timeLimit(.minutes(5)))
struct HTTPRoundTripTests {
    @Test("a request arrives whole, and its answer comes back whole")
    func roundTrip() async throws {
        let server = ScriptedServer(answer: { request, body in
            let bytes = (try? await body.collect(upTo: 1000)) ?? []
            let line = "\(request.method) \(request.path ?? "") \(request.headerFields[.accept] ?? "-") "
            var head = HTTPResponse(status: .created)
            head.headerFields[.eTag] = "\"7\""
            return (head, .bytes(Array(line.utf8) + bytes))
        })
        try await withLive(server) { world, _ in
            let request = world.request(.post, "/things?a=1&b=%20", [.accept: "text/plain"])
            let (head, body) = try await world.transport.send(
                request,
                body: .text("hello"),
                timeout: LiveWorld.hang
            )
            #expect(head.status == .created)
            #expect(head.headerFields[.eTag] == "\"7\"")
            let text = String(decoding: try await body.collect(upTo: 1000), as: UTF8.self)
            #expect(text == "POST /things?a=1&b=%20 text/plain hello")
        }
    }

    @Test("statuses of failure and redirection are ordinary answers", arguments: [302, 404, 426, 500, 503])
    func statuses(_ code: Int) async throws {
        let server = ScriptedServer(answer: { _, _ in
            (HTTPResponse(status: .init(code: code), headerFields: [.location: "/elsewhere"]), .text("x"))
        })
        try await withLive(server) { world, _ in
            let (head, body) = try await world.send()
            #expect(head.status.code == code)
            #expect(try await body.collect(upTo: 10) == Array("x".utf8))
        }
    }

    @Test("HEAD, 204 and 304 come without a body, and the connection goes on")
    func bodiless() async throws {
        let server = ScriptedServer(answer: { request, _ in
            switch request.path {
            case "/204": (HTTPResponse(status: .noContent), .text("not to be sent"))
            case "/304": (HTTPResponse(status: .notModified), .text("not to be sent"))
            default: (HTTPResponse(status: .ok), .text("12345"))
            }
        })
        try await withLive(server) { world, _ in
            let (head, body) = try await world.send(.head)
            #expect(head.headerFields[.contentLength] == "5")
            #expect(body.length == 0)
            #expect(try await world.send(.get, "/204").body.length == 0)
            #expect(try await world.send(.get, "/304").body.length == 0)
            #expect(try await world.send().body.collect(upTo: 5).count == 5)
        }
    }

    @Test("20 MB stream through the server and back unchanged", arguments: [nil, 20 * 1024 * 1024])
    func streamsBothWays(length: Int?) async throws {
        let chunk = [UInt8].pattern(65_536)
        try await withLive(.answering { _, body in body }) { world, _ in
            let left = Box(0)
            let upload = ByteStream { left.add(1) <= 320 ? chunk : nil }
            let (_, body) = try await world.send(.post, body: .stream(upload, length: length))
            guard case .stream(let download, let declared) = body else {
                Issue.record("the answer is not a stream")
                return
            }
            #expect(declared == length)
            var count = 0
            var differs = false
            for try await part in download {
                let expected = chunk[(count % 65_536)...].prefix(part.count)
                // Within one chunk; parts that span two are compared at their beginning. As data, which a debug build
                // compares as fast as any.
                differs = differs || Data(part.prefix(expected.count)) != Data(expected)
                count += part.count
            }
            #expect(count == 20 * 1024 * 1024)
            #expect(!differs)
        }
    }

    @Test("a client that does not read holds back the server")
    func slowReader() async throws {
        let made = Box(0)
        let server = ScriptedServer.answering { request, _ in
            if request.path == "/other" { return .text("ok") }
            return .stream(
                ByteStream { made.add(1) <= 512 ? [UInt8](repeating: 7, count: 65_536) : nil },
                length: nil
            )
        }
        try await withLive(server) { world, _ in
            let (_, body) = try await world.send()
            // Time enough to make all of it, if nothing held it back.
            for _ in 0..<200 { _ = try await world.send(.get, "/other").body.collect(upTo: 2) }
            // 16 MB are more than the system's buffers of both sides take (tcp(7): at most 6 and 4 MB by default).
            #expect(made.value < 256)
            #expect(try await body.collect(upTo: 1 << 26).count == 1 << 25)
        }
    }

    @Test("a server that does not read holds back the client")
    func slowServer() async throws {
        let sent = Box(0)
        let goOn = Signal()
        let arrived = Signal()
        let server = ScriptedServer.answering { request, body in
            if request.path == "/other" { return .text("ok") }
            arrived.give()
            await goOn.wait()
            return .text("\((try? await body.collect(upTo: 1 << 27))?.count ?? 0)")
        }
        try await withLive(server) { world, _ in
            let upload = ByteStream { sent.add(1) <= 512 ? [UInt8](repeating: 7, count: 65_536) : nil }
            async let answer = world.send(.post, body: .stream(upload, length: nil))
            await arrived.wait()
            for _ in 0..<200 { _ = try await world.send(.get, "/other").body.collect(upTo: 2) }
            #expect(sent.value < 256)
            goOn.give()
            #expect(try await answer.body.collect(upTo: 20) == Array("\(1 << 25)".utf8))
        }
    }

    @Test("an answer that comes before the body was read reaches the client")
    func earlyAnswer() async throws {
        let server = ScriptedServer(answer: { _, _ in (HTTPResponse(status: .contentTooLarge), .text("no")) })
        try await withLive(server) { world, _ in
            let (head, body) = try await world.send(
                .post,
                body: .bytes([UInt8](repeating: 1, count: 20 * 1024 * 1024))
            )
            #expect(head.status == .contentTooLarge)
            #expect(try await body.collect(upTo: 2) == Array("no".utf8))
            #expect(try await world.send().head.status == .contentTooLarge)
        }
    }

    @Test("a client uses one connection for requests one after the other")
    func keepAlive() async throws {
        let connections = Box(0)
        try await RawServer.run { peer in
            connections.add(1)
            while await peer.read(through: "\r\n\r\n").hasPrefix("GET") {
                try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                for _ in 0..<5 { _ = try await world.send().body.collect(upTo: 2) }
                #expect(connections.value == 1)
            }
        }
    }
}
