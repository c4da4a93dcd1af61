import Foundation
import Transport

/// A WebSocket with words for tests.
struct RawConnection {
    static let setup =
        #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]}}}"#

    let socket: any WebSocket

    func send(_ text: String) async throws { try await socket.send(text: text) }

    /// Sends a setup and reads its acknowledgement.
    func start(_ setup: String = RawConnection.setup) async throws {
        try await send(setup)
        _ = try await receive()
    }

    /// The next message as an object with its keys in order: `serverContent.turnComplete`.
    func receive() async throws -> [String: Any] {
        guard case .binary(let bytes) = try await socket.receive(),
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { return [:] }
        return object
    }

    /// Reads until the connection ends.
    func close() async throws -> WebSocketClose {
        while true {
            if case .closed(let close) = try await socket.receive() { return close }
        }
    }

    /// What the next messages are, each as its keys: `serverContent.modelTurn`.
    func kinds(_ count: Int) async throws -> [String] {
        var kinds: [String] = []
        for _ in 0..<count {
            let message = try await receive()
            let names = message.keys.sorted().map { name in
                let inner = (message[name] as? [String: Any])?.keys.sorted().first
                return name == "serverContent" ? "\(name).\(inner ?? "")" : name
            }
            kinds.append(names.joined(separator: "+"))
        }
        return kinds
    }
}
