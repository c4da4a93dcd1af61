import Foundation
import GeminiAPI
import Services
import Transport

/// What one WebSocket message turned out to say.
struct MessageReading {
    /// Bytes of a message that are shown when it could not be read.
    private static let excerptBytes = 120

    /// Whether it accepts the setup.
    let acceptsSetup: Bool
    /// At least one event, in order; one `.unreadable` for what is not a message of the service.
    let events: [LiveEvent]

    /// Reads JSON from a text or a binary message; the service sends binary ones.
    init(_ incoming: WebSocketPayload, key: Secret) {
        switch incoming {
        case .text(let bytes), .binary(let bytes): self.init(json: bytes, key: key)
        case .closed(let close):
            self.init(end: .closed(code: close.code, reason: key.redacted(from: close.reason)))
        }
    }

    private init(end: LiveEvent) {
        acceptsSetup = false
        events = [end]
    }

    private init(json: some Collection<UInt8>, key: Secret) {
        do {
            guard !JSONSize.isExceeded(by: json) else { throw ServerMessageError.tooManyValues }
            let message = try ServerMessage(json)
            events = try message.events()
            acceptsSetup = message.acceptsSetup
        } catch {
            acceptsSetup = false
            // Names in the message are foreign words, too.
            let cause = key.redacted(from: Self.cause(of: error)).prefix(Self.excerptBytes)
            let excerpt = Self.excerpt(of: json, key)
            events = [.unreadable(detail: "\(cause), \(json.count) bytes: \(excerpt)")]
        }
    }

    /// The beginning of a message without the key, which goes before the excerpt is cut, or half of it might stay.
    private static func excerpt(of json: some Collection<UInt8>, _ key: Secret) -> String {
        // So much more than is shown that what is cut here is not shown, however much the key's absence saves.
        let searched = String(decoding: json.prefix(16 * 1024 + excerptBytes), as: UTF8.self)
        // An escape may stand for a character of the key.
        let plain = key.redacted(from: searched).utf8.prefix { $0 != UInt8(ascii: "\\") }
        return String(decoding: plain.prefix(excerptBytes), as: UTF8.self)
    }

    private static func cause(of error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context):
            "unexpected type at “\(context.codingPath.map(\.stringValue).joined(separator: "."))”"
        case DecodingError.dataCorrupted: "not JSON"
        case ServerMessageError.badDuration: "not a duration"
        case ServerMessageError.badSound: "not sound"
        case ServerMessageError.tooManyValues: "more than \(JSONSize.mostValues) values"
        default: "\(type(of: error))"
        }
    }
}
