import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Readers and writers that stand still", .simulated(seeds: 1...200, stalls: .drawn))
struct StalledStreamTests {
    /// Reads on an executor of its own, so that each read changes executors.
    private actor Reader {
        private let socket: any WebSocket

        init(_ socket: any WebSocket) { self.socket = socket }

        func readPair() async throws {
            for _ in 0..<2 { _ = try await socket.receive() }
            try await socket.send(text: "both")
        }
    }

    @Test func `a message that arrives while its reader turns to waiting is read`() async throws {
        let pairs = 40
        let world = try await SimulatedWorld.start(
            .session { socket in
                for _ in 0..<pairs {
                    try? await socket.send(text: "first")
                    try? await Task.sleep(for: .microseconds(Int.random(in: 0...2000)))
                    try? await socket.send(text: "second")
                    // The next pair comes only when both were read: a lost wake-up is never made up for.
                    _ = try? await socket.receive()
                }
            }
        )
        let reader = Reader(try await world.connect())
        for _ in 0..<pairs { try await reader.readPair() }
    }

    /// Writes on an executor of its own, as the reader reads.
    private actor Writer {
        private let socket: any WebSocket

        init(_ socket: any WebSocket) { self.socket = socket }

        func write(_ count: Int) async throws {
            for number in 0..<count { try await socket.send(text: "\(number)") }
        }
    }

    @Test func `a message is sent when room is made while its writer turns to waiting`() async throws {
        let count = 60
        let events = Box([WebSocketEvent]())
        let limits = WebSocketLimits(bufferedMessages: 1)
        let world = try await SimulatedWorld.start(
            .session(limits: limits) { socket in
                while let event = try? await socket.receive() {
                    events.append(event)
                    if case .closed = event { return }
                }
            }
        )
        world.link.latency = .uniform(.zero ... .microseconds(50))
        let socket = try await world.connect(limits: limits)
        try await Writer(socket).write(count)
        await socket.close(.normal)
        #expect(events.value == (0..<count).map { .text("\($0)") } + [.closed(.normal)])
    }
}
