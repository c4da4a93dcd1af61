import Foundation
import HTTPTypes
import LiveTransport
import Testing
import Transport

@Suite("Connections leave nothing behind", .timeLimit(.minutes(1)))
struct ConnectionLeakTests {
    @Test(
        "after 200 connections no socket and no task is left",
        .enabled(if: canSeeSockets, "reads /proc/net/tcp")
    )
    func leaks() async throws {
        let running = Tally()
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

    private static let canSeeSockets = FileManager.default.fileExists(atPath: "/proc/net/tcp")

    /// The sockets with this port at either end that still belong to a process: those with an inode (proc(5)).
    private static func sockets(of port: Int) -> Int {
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        let hex = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - hex.count) + hex
        return table.split(separator: "\n").dropFirst().count { line in
            let columns = line.split(separator: " ")
            return columns.count > 9 && (columns[1].hasSuffix(suffix) || columns[2].hasSuffix(suffix))
                && columns[9] != "0"
        }
    }
}
