import Foundation
import Services
import Transport

/// A message of the service, as far as it matters here; unknown keys are passed over.
struct ServerMessage: Decodable {
    private struct Presence: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    private struct ServerContent: Decodable {
        struct Turn: Decodable {
            struct Part: Decodable {
                let text: String?
                let thought: Bool?
            }

            let parts: [Part]?
        }

        let modelTurn: Turn?
        let interrupted: Bool?
        let turnComplete: Bool?
    }

    private struct Usage: Decodable {
        let promptTokenCount: Int?
        let responseTokenCount: Int?
    }

    private struct GoAway: Decodable {
        let timeLeft: String?
    }

    private struct Resumption: Decodable {
        let newHandle: String?
        let resumable: Bool?
    }

    private let setupComplete: Presence?
    private let serverContent: ServerContent?
    private let usageMetadata: Usage?
    private let goAway: GoAway?
    private let sessionResumptionUpdate: Resumption?

    /// Reads a message.
    ///
    /// - Throws: `DecodingError` for anything that is not a JSON object with the expected types.
    init(_ json: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(ServerMessage.self, from: Data(json))
    }

    /// Whether the service has accepted the setup.
    var acceptsSetup: Bool { setupComplete != nil }

    /// What the message says, at least one event: text in the order of its parts, then how the turn goes on.
    ///
    /// Usage comes before the end of a turn that it rides on, so that a reader who stops there has it.
    func events() throws(ServerMessageError) -> [LiveEvent] {
        var events: [LiveEvent] = []
        for part in serverContent?.modelTurn?.parts ?? [] where part.thought != true {
            if let text = part.text, !text.isEmpty { events.append(.text(text)) }
        }
        if serverContent?.interrupted == true { events.append(.interrupted) }
        if let usage = usageMetadata {
            // Counts of zero are left out (proto3 JSON).
            events.append(
                .usage(prompt: usage.promptTokenCount ?? 0, response: usage.responseTokenCount ?? 0)
            )
        }
        if serverContent?.turnComplete == true { events.append(.turnComplete) }
        if let update = sessionResumptionUpdate, update.resumable == true,
            let handle = update.newHandle, !handle.isEmpty
        {
            events.append(.resumable(handle: handle))
        }
        if let goAway {
            let left = goAway.timeLeft ?? "0s"
            guard let duration = Duration(protobufJSON: left) else { throw .badDuration(left) }
            events.append(.goingAway(timeLeft: duration))
        }
        return events.isEmpty ? [.other] : events
    }
}

/// Why a well-formed message was not understood.
enum ServerMessageError: Error {
    case badDuration(String)
}

extension Duration {
    /// Reads seconds with up to nine decimals and an `s`: `50s`, `1.5s` (protobuf's JSON form of a duration).
    ///
    /// The bound of 315,576,000,000 s is protobuf's own.
    init?(protobufJSON text: String) {
        guard text.last == "s" else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = Self.digits(whole), seconds <= 315_576_000_000 else {
            return nil
        }
        var nanoseconds = 0
        if parts.count == 2 {
            guard parts[1].count <= 9, let fraction = Self.digits(parts[1]) else { return nil }
            nanoseconds = (parts[1].count..<9).reduce(fraction) { value, _ in value * 10 }
        }
        self = .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    private static func digits(_ text: Substring) -> Int? {
        text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
    }
}
