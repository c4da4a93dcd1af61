import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Transport

@testable import LiveTransport

@Suite("Memory at the edges of a connection's life", .timeLimit(.minutes(5)))
struct MemoryEdgeTests {
    /// Waits for what happens on other threads, without a limit of its own.
    private static func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    private static let pong: UInt8 = 0x8A
    /// The end of a message in fragments, without a byte of it.
    private static let emptyEnd: [UInt8] = [0x80, 0x80, 0, 0, 0, 0]

    @Test(
        "what has come of a frame is not held once its connection has ended, however long its session lasts",
        arguments: [
            // Half of a ping, a close frame, a head and a message.
            [0x89, 0x80 | 100, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 60),
            [0x88, 0x80 | 100, 0, 0, 0, 0, 3, 0xE8] + [UInt8](repeating: 0, count: 60),
            [0x82, 0xFF, 0, 0, 0],
            [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 30_000),
        ]
    )
    func halves(half: [UInt8]) async throws {
        let (ended, release) = (Signal(), Signal())
        let server = ScriptedServer.session { socket in
            #expect((try? await socket.receive()) == .closed(.abnormal))
            // Refused when the event loop has done all that belongs to the end.
            try? await socket.ping(timeout: LiveWorld.hang)
            ended.give()
            await release.wait()
            withExtendedLifetime(socket) {}
        }
        try await withLive(server) { world, listener in
            defer { release.give() }
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.openWebSocket()
            try await peer.send(half)
            await Self.until { listener.heldBytes >= max(half.count - 14, 1) }
            try await peer.close()
            await ended.wait()
            #expect(listener.heldBytes == 0)
        }
    }

    @Test("many connections that have ended take nothing of what each open one may hold")
    func endedSessions() async throws {
        let (sessions, release) = (Box(0), Signal())
        let server = ScriptedServer.session { socket in
            sessions.increment()
            if sessions.value <= 8 { await release.wait() }
            while case .binary(let bytes)? = try? await socket.receive() {
                try? await socket.send(text: "\(bytes.count)")
            }
        }
        try await withLive(server, limits: LoopbackHost.Limits(memoryBytes: 450_000)) { world, listener in
            defer { release.give() }
            for number in 1...8 {
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.openWebSocket()
                await Self.until { sessions.value == number }
                try await peer.sendFrame(0x82, 49_000)
                try await peer.send([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
                #expect(await peer.readFrame()?.payload == [0x03, 0xE8])
                _ = await peer.readToEnd()
                try await peer.close()
            }
            #expect(listener.heldBytes == 8 * 49_000)
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.openWebSocket()
            try await peer.sendFrame(0x02, 120_000)
            #expect(await peer.pingTwice() == [Self.pong, Self.pong])
            try await peer.send(Self.emptyEnd)
            #expect(await peer.readFrame()?.payload == Array("120000".utf8))
            try await peer.close()
        }
    }

    @Test("a peer that takes a long message is not blamed for what it has taken")
    func longMessage() async throws {
        let (size, taken) = (8 << 20, 5 << 20)
        let (sessions, told) = (Box(0), Signal())
        let server = ScriptedServer.session { socket in
            sessions.increment()
            let isFirst = sessions.value == 1
            if isFirst { try? await socket.send(binary: [UInt8](repeating: 7, count: size)) }
            while case .binary(let bytes)? = try? await socket.receive() {
                if isFirst { told.give() } else { try? await socket.send(text: "\(bytes.count)") }
            }
        }
        let limits = LoopbackHost.Limits(memoryBytes: 10 << 20, idleTimeout: LiveWorld.hang)
        try await withLive(server, limits: limits) { world, listener in
            let slow = try await RawConnection.connectTakingOnDemand(port: world.address.port)
            try await slow.openWebSocket()
            #expect(await slow.read(10 + taken).count == 10 + taken)
            // Its loop has seen what was taken before when it reads what comes then.
            try await slow.send([0x82, 0x81, 0, 0, 0, 0, 1])
            await told.wait()
            #expect(listener.heldBytes < size - taken + 128 * 1024)
            // More than the system keeps.
            #expect(listener.heldBytes > 1 << 20)
            let other = try await RawConnection.connect(port: world.address.port)
            try await other.openWebSocket()
            try await other.sendFrame(0x02, 4 << 20)
            #expect(await other.pingTwice() == [Self.pong, Self.pong])
            try await other.send(Self.emptyEnd)
            #expect(await other.readFrame()?.payload == Array("\(4 << 20)".utf8))
            #expect(await slow.read(size - taken).count == size - taken)
            try await slow.close()
            try await other.close()
        }
    }

    @Test("what waits in pieces keeps no memory of what was taken before")
    func pieces() {
        let message = ByteBuffer(bytes: (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var (rest, joined, pieces) = (message, ByteBuffer(), [ByteBuffer]())
        while let piece = ConnectionEdge.piece(of: &rest, ByteBufferAllocator()) {
            pieces.append(piece)
            joined.writeImmutableBuffer(piece)
        }
        #expect(pieces.map(\.readableBytes) == [65_536, 65_536, 65_536, 3_392])
        #expect(pieces.allSatisfy { $0.storageCapacity <= 65_536 })
        #expect(joined == message)
    }

    @Test("a message that is whole counts once")
    func whole() async throws {
        let (count, release) = (Box(0), Signal())
        let server = ScriptedServer.session { socket in
            await release.wait()
            if case .binary(let bytes)? = try? await socket.receive() { count.set(bytes.count) }
        }
        try await withLive(server, limits: LoopbackHost.Limits(memoryBytes: 1_000_000)) { world, listener in
            defer { release.give() }
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.openWebSocket()
            try await peer.sendFrame(0x82, 600_000)
            #expect(await peer.pingTwice() == [Self.pong, Self.pong])
            #expect(listener.heldBytes == 600_000)
            release.give()
            #expect(await peer.readFrame()?.first == 0x88)
            try await peer.close()
        }
        #expect(count.value == 600_000)
    }

    @Test("a WebSocket that was given up is read to the end that its peer makes")
    func readOn() async throws {
        let (start, over) = (ContinuousClock.now, Signal())
        let server = ScriptedServer(
            answer: { _, _ in
                await Signal.waitForCancellation()
                return (.init(status: .ok), .empty)
            },
            decide: { _ in
                // What comes behind the second message waits in the system.
                .accept(WebSocketLimits(bufferedMessages: 2)) { socket in
                    await over.wait()
                    withExtendedLifetime(socket) {}
                }
            }
        )
        let limits = LoopbackHost.Limits(
            connections: 2,
            memoryBytes: 300_000,
            idleTimeout: LiveWorld.hang,
            closeTimeout: .seconds(60)
        )
        try await withLive(server, limits: limits) { world, listener in
            defer { over.give() }
            let peer = try await RawConnection.connect(port: world.address.port, outlives: true)
            try await peer.openWebSocket()
            for _ in 0..<2 { try await peer.sendFrame(0x82, 100_000) }
            await Self.until { listener.heldBytes >= 200_000 }
            let upload = try await RawConnection.connect(port: world.address.port)
            try await upload.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
                    + String(repeating: "x", count: 110_000)
            )
            #expect(await peer.readFrame()?.payload.prefix(2) == [0x03, 0xF5])
            // Far more than the system keeps.
            for _ in 0..<64 { try await peer.sendFrame(0x82, 1 << 18) }
            try await peer.close()
            // Its place is free.
            let next = try await RawConnection.connect(port: world.address.port)
            try await next.send("nonsense\r\n\r\n")
            #expect(await next.readToEnd().hasPrefix("HTTP/1.1 400 "))
            try await upload.close()
        }
        // Nothing was left to a timer.
        #expect(ContinuousClock.now - start < limits.closeTimeout)
    }

    @Test("what comes behind a 1013 is dropped: nothing grows, nothing is answered, and no reader gets it")
    func behind() async throws {
        let events = Box<[WebSocketEvent]>([])
        let limits = LoopbackHost.Limits(
            memoryBytes: 200_000,
            idleTimeout: LiveWorld.hang,
            closeTimeout: LiveWorld.hang
        )
        try await withLive(.keeping(events), limits: limits) { world, listener in
            let peer = try await RawConnection.connect(port: world.address.port, outlives: true)
            try await peer.openWebSocket()
            try await peer.sendFrame(0x82, 300_000, of: 4 << 20)
            let close = await peer.readFrame()
            #expect(close?.first == 0x88)
            #expect(close?.payload.prefix(2) == [0x03, 0xF5])
            #expect(listener.heldBytes == 0)
            let rest = [UInt8](repeating: 0, count: ((4 << 20) - 300_000) / 4)
            for _ in 0..<4 {
                try await peer.send(rest)
                #expect(listener.heldBytes == 0)
            }
            for _ in 0..<4 {
                try await peer.send([0x89, 0x80, 0, 0, 0, 0])
                try await peer.sendFrame(0x82, 150_000)
                #expect(listener.heldBytes == 0)
            }
            // Half of a message, and half of a ping in it.
            try await peer.sendFrame(0x02, 190_000)
            try await peer.send([0x89, 0x80 | 100, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 60))
            #expect(listener.heldBytes == 0)
            try await peer.finish()
            #expect(await peer.readToEnd().isEmpty)
            #expect(listener.heldBytes == 0)
        }
        #expect(events.value == [.closed(.memoryUsedUp)])
    }
}
