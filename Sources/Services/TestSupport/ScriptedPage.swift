import Foundation
package import Transport

/// A page without a browser: its socket, and all that came through it.
package final class ScriptedPage {
    /// A message of the server.
    package struct Frame: Sendable {
        /// As it came.
        package let text: String

        /// Empty for what is no object.
        package var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        }

        package var screen: String? { json["screen"] as? String }
        package var state: [String: Any] { json["state"] as? [String: Any] ?? [:] }
        package var version: Int { json["version"] as? Int ?? 0 }
        package var id: Int? { json["id"] as? Int }
        package var isDone: Bool { json["ok"] as? Bool == true }
        package var error: String? { (json["error"] as? [String: Any])?["code"] as? String }
        package var welcome: [String: Any]? { json["welcome"] as? [String: Any] }
        package var speak: [String: Any]? { json["speak"] as? [String: Any] }
        package var hush: Int? { json["hush"] as? Int }
        package var listen: Int? { json["listen"] as? Int }
        package var finishListening: Int? { json["finishListening"] as? Int }
        package var stopListening: Int? { json["stopListening"] as? Int }
    }

    package let socket: any WebSocket
    package private(set) var frames: [Frame] = []
    /// As a page of a browser: no other load of it begins there.
    private var nextID = Int.random(in: 1...1 << 50)

    package init(_ socket: any WebSocket) { self.socket = socket }

    /// The session's name.
    package var id: String { frames.lazy.compactMap { $0.welcome?["page"] as? String }.first ?? "" }
    /// The versions of the states that came last.
    package var versions: [String: Int] {
        Dictionary(frames.compactMap { frame in frame.screen.map { ($0, frame.version) } }) { $1 }
    }

    package func send(_ text: String) async throws { try await socket.send(text: text) }

    /// Reads until a frame fits, or the test's patience ends.
    @discardableResult
    package func frame(_ fits: (Frame) -> Bool) async throws -> Frame {
        while true {
            guard case .text(let text) = try await socket.receive() else { throw Ended() }
            frames.append(Frame(text: text))
            if let last = frames.last, fits(last) { return last }
        }
    }

    /// Sends an action without waiting for its answer, and returns its number.
    package func begin(_ screen: String, _ action: String) async throws -> Int {
        defer { nextID += 1 }
        try await send(#"{"id":\#(nextID),"screen":"\#(screen)","action":\#(action)}"#)
        return nextID
    }

    /// Sends an action of that number, as after a lost socket.
    package func `repeat`(_ id: Int, _ screen: String, _ action: String) async throws {
        try await send(#"{"id":\#(id),"screen":"\#(screen)","action":\#(action)}"#)
    }

    /// Sends an action, and reads until it is answered.
    @discardableResult
    package func act(_ screen: String, _ action: String) async throws -> Frame {
        let id = try await begin(screen, action)
        return try await frame { $0.id == id }
    }

    /// The newest state of a screen that came so far.
    package func state(_ screen: String) -> [String: Any] {
        frames.last { $0.screen == screen }?.state ?? [:]
    }

    /// Reads until a screen's state fits; one that came already counts.
    package func until(_ screen: String, _ fits: ([String: Any]) -> Bool) async throws {
        if fits(state(screen)) { return }
        try await frame { $0.screen == screen && fits($0.state) }
    }

    /// The socket has ended.
    package struct Ended: Error {}
}
