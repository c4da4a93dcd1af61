import HTTPTypes
import SimulatedTransport
import Simulation
import Synchronization
import Transport

/// A file of ten pieces.
private struct FileServer: Server {
    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let made = Counter()
        let stream = ByteStream { () async throws(TransportError) in made.next() <= 10 ? [1] : nil }
        return (HTTPResponse(status: .ok), .stream(stream, length: nil))
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: .notFound), .empty)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}

extension ZooProgram {
    static let cutBody = ZooProgram(
        "cut-body",
        .network,
        "a download whose connection breaks in the middle is taken for the whole file"
    ) { isFixed in
        let world = ZooNetwork()
        _ = try await world.hub.listen(FileServer(), at: SocketAddress(host: "hub", port: 80))
        world.network["phone", "hub"].back.conditions.resets = 0.01
        let request = HTTPRequest(method: .get, scheme: "http", authority: "hub", path: "/film")
        for _ in 0..<20 {
            guard let (_, body) = try? await world.phone.send(request, body: .empty, timeout: .seconds(5)),
                case .stream(let stream, _) = body
            else { continue }
            var bytes = 0
            var isWhole = true
            do { for try await piece in stream { bytes += piece.count } } catch { isWhole = false }
            if isFixed, !isWhole { continue }
            return try expect(bytes == 10, "half a file was kept")
        }
    }
}
