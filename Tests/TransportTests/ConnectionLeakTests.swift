import Foundation
import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Connections leave nothing behind", .timeLimit(.minutes(5)))
struct ConnectionLeakTests {
    @Test func `after 200 connections no socket and no task is left`() async throws {
        let running = Box(0)
        let server = ScriptedServer(
            answer: { _, body in
                running.add(1)
                defer { running.add(-1) }
                _ = try? await body.collect(upTo: 1000)
                return (HTTPResponse(status: .ok), .text("ok"))
            },
            decide: { _ in
                running.add(1)
                return .accept(WebSocketLimits()) { socket in
                    defer { running.add(-1) }
                    while let event = try? await socket.receive() { if case .closed = event { return } }
                }
            }
        )
        var port = 0
        try await withLive(server) { world, _ in
            port = world.address.port
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        switch number % 4 {
                        case 0: _ = try await world.send(.post, body: .text("x")).body.collect(upTo: 10)
                        case 1: await (try await world.connect()).close(.normal)
                        case 2: _ = try await world.connect()
                        default:
                            let peer = try await RawConnection.connect(port: world.address.port)
                            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")
                            try await peer.close()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let open = try await world.connect()
            #expect(Self.sockets(of: port) > 0)
            await open.close(.normal)
        }
        #expect(running.value == 0)
        #expect(Self.sockets(of: port) == 0)
    }

    /// Gives a signal when nobody holds it any more.
    private final class Held: Sendable {
        let freed: Signal

        init(_ freed: Signal) { self.freed = freed }

        deinit { freed.give() }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request that was cut off holds nothing of its server`() async throws {
        let (arrived, ended, freed) = (Signal(), Signal(), Signal())
        do {
            let held = Held(freed)
            let server = ScriptedServer.answering { _, body in
                withExtendedLifetime(held) { arrived.give() }
                _ = try? await body.collect(upTo: 1000)
                ended.give()
                return .empty
            }
            try await withLive(server) { world, _ in
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")
                await arrived.wait()
                #expect(!freed.isGiven)
                try await peer.close()
                await ended.wait()
            }
        }
        // The connection's event loop frees it soon after the connection has ended.
        await freed.wait()
    }

    /// This process's sockets with this port at either end.
    ///
    /// Asks each descriptor itself: `/proc/net/tcp` may leave out lines while connections come and go (proc(5) promises
    /// no snapshot).
    private static func sockets(of port: Int) -> Int {
        (0..<min(Int32(getdtablesize()), 65_536)).count { descriptor in
            unsafe port == Self.port(of: descriptor, getsockname)
                || port == Self.port(of: descriptor, getpeername)
        }
    }

    private typealias AddressCall = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>)
        -> Int32

    private static func port(of descriptor: Int32, _ call: AddressCall) -> Int? {
        var address = SystemV4()
        var length = socklen_t(MemoryLayout<SystemV4>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call(descriptor, $0, &length)
            }
        }
        guard result == 0, address.family == AF_INET else { return nil }
        return Int(UInt16(bigEndian: address.port))
    }
}
