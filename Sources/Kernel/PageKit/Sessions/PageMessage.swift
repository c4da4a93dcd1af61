internal import Foundation
package import Services
package import Transport

/// What a page sends.
package enum PageMessage: Sendable {
    /// The first message of a socket.
    package struct Hello: Decodable, Sendable {
        /// The session that the page had before it lost its socket, or was loaded again.
        var page: String?
        /// The versions of the states that it still shows.
        var versions: [String: Int]?
        var presence: Presence?
        /// Whether it takes what has changed of a state; without it states come whole.
        var changes: Bool?
    }

    /// What the page can do for the user just now.
    package struct Presence: Decodable, Hashable, Sendable {
        /// Whether it can speak.
        var speaks: Bool
        /// Whether the user can see it.
        var visible: Bool
        /// Whether its browser understands speech; `nil` for no.
        var hears: Bool?
    }

    /// How the listening of a number goes that the page was asked for.
    package struct Heard: Decodable, Hashable, Sendable {
        /// The listening's.
        var number: Int
        /// All that was understood so far; `nil` when it has just begun.
        var text: String?
        /// Whether the text does not change any more.
        var isFinal: Bool?
        /// Why it has ended, by the name of a `SpeechInputError.Code`.
        var trouble: String?
    }

    /// Something that the user does on a screen.
    package struct Request: Sendable {
        /// Named in the answer.
        package var id: Int
        package var screen: String
        package var action: StructuredValue
    }

    case hello(Hello)
    case presence(Presence)
    case request(Request)
    /// The sentence of that number was spoken, or could not be.
    case spoken(Int)
    /// What the browser has heard.
    case heard(Heard)

    /// The largest message, many times the longest text that can be typed.
    package static let byteLimit = 64 * 1024

    /// Reads a message; `nil` for what is none.
    package init?(_ bytes: [UInt8]) {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)) else { return nil }
        if let hello = envelope.hello {
            self = .hello(hello)
        } else if let presence = envelope.presence {
            self = .presence(presence)
        } else if let number = envelope.spoken {
            self = .spoken(number)
        } else if let heard = envelope.heard {
            self = .heard(heard)
        } else if let id = envelope.id, let screen = envelope.screen, let action = envelope.action {
            self = .request(Request(id: id, screen: screen, action: action))
        } else {
            return nil
        }
    }

    /// How long a socket may be silent at first.
    package static let patience = Duration.seconds(5)

    /// Receives the first message of a socket; without a hello in time the socket is closed, and there is none.
    package static func hello(from socket: any WebSocket) async -> Hello? {
        let first = await withTaskGroup(of: WebSocketPayload?.self) { group in
            group.addTask { try? await socket.receivePayload() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard case .text(let bytes)? = first, case .hello(let hello)? = PageMessage(bytes) else {
            await socket.close(WebSocketClose(code: 4000, reason: "a page says hello first"))
            return nil
        }
        return hello
    }

    private struct Envelope: Decodable {
        var hello: Hello?
        var presence: Presence?
        var spoken: Int?
        var heard: Heard?
        var id: Int?
        var screen: String?
        var action: StructuredValue?
    }
}
