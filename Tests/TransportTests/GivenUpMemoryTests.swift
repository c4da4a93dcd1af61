import HTTPTypes
import LiveTransport
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Transport

@Suite("Memory that peers of live listeners have to give up", .timeLimit(.minutes(5)))
struct GivenUpMemoryTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    /// A whole binary message, masked with zeros.
    private static func message(_ count: Int) -> [UInt8] {
        [0x82, 0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
            + [UInt8](repeating: 0, count: 4 + count)
    }

    private static func upload(_ path: String, sent: Int, of length: Int) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n"
        return Array(head.utf8) + [UInt8](repeating: 1, count: sent)
    }

    /// Waits for what happens on other threads, without a limit of its own.
    private static func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test("a head that is not whole is gone when its peer is refused")
    func head() async throws {
        let limits = LoopbackHost.Limits(headerBytes: 1024 * 1024, memoryBytes: 50_000)
        try await withLive(.echo(), limits: limits) { world, listener in
            let peer = try await RawConnection.connect(port: world.address.port, outlives: true)
            let field = "X-Field: \(String(repeating: "x", count: 1000))\r\n"
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: field, count: 40))
            #expect(await peer.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 503 "))
            #expect(listener.heldBytes == 0)
            // What still comes of it is not kept either.
            try await peer.send(String(repeating: field, count: 40))
            #expect(try await world.send().head.status == .notFound)
            #expect(listener.heldBytes == 0)
            try await peer.close()
        }
    }

    @Test("a connection whose whole request was refused ends with its peer")
    func wholeRequest() async throws {
        let server = ScriptedServer.answering { request, _ in
            if request.method == .post { await Signal.waitForCancellation() }
            return .text("answer")
        }
        let limits = LoopbackHost.Limits(
            connections: 2,
            memoryBytes: 150_000,
            idleTimeout: LiveWorld.hang,
            discardTimeout: .seconds(120)
        )
        let start = ContinuousClock.now
        try await withLive(server, limits: limits) { world, listener in
            let large = try await RawConnection.connect(port: world.address.port)
            try await large.send(Self.upload("/", sent: 100_000, of: 100_000))
            await Self.until { listener.heldBytes >= 100_000 }
            let small = try await RawConnection.connect(port: world.address.port)
            try await small.send(Self.upload("/", sent: 60_000, of: 100_000))
            #expect(await large.readToEnd().hasPrefix("HTTP/1.1 503 "))
            // Its place is free.
            #expect(try await world.send().head.status == .ok)
            try await small.close()
        }
        #expect(ContinuousClock.now - start < limits.discardTimeout)
    }

    @Test("a peer that takes nothing is cut, not asked")
    func cut() async throws {
        let limits = LoopbackHost.Limits(
            memoryBytes: 2 << 20,
            idleTimeout: LiveWorld.hang,
            closeTimeout: LiveWorld.hang
        )
        let (hosting, stuck) = (Box<(any Listener)?>(nil), Signal())
        // Fill the system's buffers first, which take megabytes, so that the peer counts as one that takes nothing before the limit is reached.
        let server = ScriptedServer.session { socket in
            while hosting.value?.heldBytes ?? 0 <= 0 {
                try? await socket.send(binary: [UInt8](repeating: 1, count: 16_384))
                try? await socket.ping(timeout: .milliseconds(1))
            }
            stuck.give()
            await withDiscardingTaskGroup { group in
                while case .binary(let bytes)? = try? await socket.receive() {
                    group.addTask { try? await socket.send(binary: bytes) }
                }
            }
        }
        let start = ContinuousClock.now
        try await withLive(server, limits: limits) { world, listener in
            hosting.set(listener)
            let peer = try await RawConnection.connect(port: world.address.port, reads: false)
            try await peer.send(Self.handshake)
            await stuck.wait()
            let message = Self.message(256 * 1024)
            let isCut = await { () async -> Bool in
                for _ in 0..<256 {
                    do { try await peer.send(message) } catch { return true }
                }
                return false
            }()
            #expect(isCut)
            hosting.set(nil)
            try? await peer.close()
        }
        // It would have the time of a close, had it been asked.
        #expect(ContinuousClock.now - start < limits.closeTimeout)
    }

    @Test("messages that wait behind others count")
    func queue() async throws {
        let errors = Box<[TransportError]>([])
        let server = ScriptedServer.session { socket in
            await withDiscardingTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask {
                        do throws(TransportError) {
                            // The first of them may be on its way when the peer is cut.
                            while true {
                                try await socket.send(binary: [UInt8](repeating: 1, count: 1 << 20))
                            }
                        } catch { errors.append(error) }
                    }
                }
            }
        }
        let limits = LoopbackHost.Limits(memoryBytes: 4 << 20, idleTimeout: .seconds(60))
        try await withLive(server, limits: limits) { world, listener in
            let peer = try await RawConnection.connect(port: world.address.port, reads: false)
            try await peer.send(Self.handshake)
            await Self.until { errors.value.count == 16 }
            await Self.until { listener.heldBytes == 0 }
            try? await peer.close()
        }
        #expect(errors.value.allSatisfy { $0.code == .reset })
        #expect(Set(errors.value.map(\.detail)) == ["the memory for what clients send is used up"])
    }

    @Test("output that the peer took does not count any more")
    func takenOutput() async throws {
        let (world, sent) = (Box<(any Listener)?>(nil), Box(0))
        let (stuck, told, seen) = (Signal(), Signal(), Signal())
        let server = ScriptedServer.session { socket in
            while world.value?.heldBytes ?? 0 <= 0 {
                try? await socket.send(binary: [UInt8](repeating: 1, count: 4_096))
                // Over when its event loop has passed the message on, so that little waits once anything does.
                try? await socket.ping(timeout: .milliseconds(1))
                sent.add(4 + 4_096 + 2 + 8)
            }
            stuck.give()
            _ = try? await socket.receive()
            told.give()
            // The close frame that follows would be a reason to look.
            await seen.wait()
        }
        try await withLive(server, limits: .init(idleTimeout: LiveWorld.hang)) { live, listener in
            world.set(listener)
            let peer = try await RawConnection.connect(port: live.address.port, reads: false)
            try await peer.send(Self.handshake)
            await stuck.wait()
            #expect(listener.heldBytes > 0)
            try await peer.startReading()
            _ = await peer.read(through: "\r\n\r\n")
            #expect(await peer.read(sent.value).count == sent.value)
            // Its loop has seen that all was taken when it reads what comes then.
            try await peer.send([0x82, 0x81, 0, 0, 0, 0, 1])
            await told.wait()
            #expect(listener.heldBytes == 0)
            seen.give()
            world.set(nil)
            try await peer.close()
        }
    }

    @Test("bodies whose connection has ended make room for others")
    func endedBodies() async throws {
        let (lost, release) = (Box(0), Signal())
        let server = ScriptedServer.answering { request, body in
            if request.path == "/lost" {
                await Signal.waitForCancellation()
                lost.increment()
            }
            await release.wait()
            return .text("\((try? await body.collect(upTo: 1 << 20).count) ?? -1)")
        }
        let limits = LoopbackHost.Limits(memoryBytes: 450_000)
        try await withLive(server, limits: limits) { world, listener in
            for number in 1...4 {
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.send(Self.upload("/lost", sent: 100_000, of: 200_000))
                await Self.until { listener.heldBytes >= number * 100_000 }
                try await peer.close()
                await Self.until { lost.value == number }
            }
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.upload("/", sent: 120_000, of: 120_000))
            let answer = Task { await peer.readToEnd() }
            let refused = Signal()
            let watching = Task {
                _ = await answer.value
                refused.give()
            }
            await Self.until { (420_000..<430_000).contains(listener.heldBytes) || refused.isGiven }
            release.give()
            #expect(!refused.isGiven)
            #expect(await answer.value.hasSuffix("\r\n\r\n120000"))
            await watching.value
        }
    }

    @Test("what was given up of an ended WebSocket does not look like its regular end")
    func endedSocket() async throws {
        let (received, release) = (Box<[WebSocketClose]>([]), Signal())
        let server = ScriptedServer.session { socket in
            await release.wait()
            var count = 0
            while let event = try? await socket.receive() {
                guard case .closed(let close) = event else {
                    count += 1
                    continue
                }
                received.append(WebSocketClose(code: close.code, reason: "\(count)"))
                return
            }
        }
        try await withLive(server, limits: LoopbackHost.Limits(memoryBytes: 1_700_000)) { world, _ in
            for _ in 0..<2 {
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.send(Self.handshake)
                _ = await peer.read(through: "\r\n\r\n")
                for _ in 0..<3 { try? await peer.send(Self.message(300_000)) }
                try? await peer.send([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
                #expect(await peer.readFrame()?.payload == [0x03, 0xE8])
                _ = await peer.readToEnd()
            }
            release.give()
            await Self.until { received.value.count == 2 }
        }
        #expect(
            received.value.sorted { $0.code < $1.code }
                == [WebSocketClose(code: 1000, reason: "3"), WebSocketClose(code: 1013, reason: "0")]
        )
    }

    @Test("an answer that ends the connection and is not taken is given up too")
    func closingAnswer() async throws {
        let (hosting, cut) = (Box<(any Listener)?>(nil), Signal())
        let ended = Signal()
        let server = ScriptedServer.answering { request, body in
            if request.path == "/small" {
                await cut.wait()
                return .text("\((try? await body.collect(upTo: 1 << 20).count) ?? -1)")
            }
            let more = Box(4)
            let stream = ByteStream { () async throws(TransportError) in
                if hosting.value?.heldBytes ?? 0 > 1000 { more.add(-1) }
                if more.value > 0 { return [UInt8](repeating: 1, count: 8192) }
                ended.give()
                return nil
            }
            return .stream(stream, length: nil)
        }
        let limits = LoopbackHost.Limits(memoryBytes: 40_000, idleTimeout: LiveWorld.hang)
        try await withLive(server, limits: limits) { world, listener in
            hosting.set(listener)
            let large = try await RawConnection.connect(port: world.address.port, reads: false)
            try await large.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await ended.wait()
            let small = try await RawConnection.connect(port: world.address.port)
            try await small.send(Self.upload("/small", sent: 20_000, of: 20_000))
            let isCut = await { () async -> Bool in
                for _ in 0..<1024 {
                    do { try await large.send([UInt8](repeating: 1, count: 65_536)) } catch { return true }
                }
                return false
            }()
            #expect(isCut)
            cut.give()
            #expect(await small.readToEnd().hasSuffix("\r\n\r\n20000"))
            try? await large.close()
            hosting.set(nil)
        }
    }
}
