import Foundation
import Services

/// The messages that a client of Gemini Live sends, as JSON text.
///
/// Keys are sorted, so that equal messages are equal bytes.
enum ClientMessage {
    /// Why an input cannot be a message.
    enum Failure: Error {
        /// Half a sample, or a rate that no sound has.
        case notSound
    }

    /// A message for an input of a session.
    ///
    /// - Throws: ``Failure``, and `DecodingError` or `JSONTree.NotAnObject` for an answer of a tool that is no JSON object.
    static func input(_ input: LiveInput, route: GeminiOptions.TextRoute) throws -> String {
        switch input {
        case .frame(let jpeg): return blob("video", jpeg, "image/jpeg")
        case .audio(let audio):
            guard audio.isWhole else { throw Failure.notSound }
            return blob("audio", audio.pcm, "audio/pcm;rate=\(audio.sampleRate)")
        case .text(let text) where route == .clientContent:
            return try turns([LiveTurn(.user, text: text)], isComplete: true)
        case .text(let text): return try realtime(["text": .string(text)])
        case .audioStreamEnd: return try realtime(["audioStreamEnd": true])
        case .activityStart: return try realtime(["activityStart": [:]])
        case .activityEnd: return try realtime(["activityEnd": [:]])
        case .turns(let turns, let isComplete): return try Self.turns(turns, isComplete: isComplete)
        case .toolResponses(let responses):
            let answers = try responses.map(Self.answer)
            return try (["toolResponse": ["functionResponses": .array(answers)]] as JSONTree).text()
        }
    }

    /// Turns of the conversation proper, or its history.
    static func turns(_ turns: [LiveTurn], isComplete: Bool) throws -> String {
        let contents = turns.map { turn -> JSONTree in
            ["role": .string(turn.role.rawValue), "parts": .array(turn.parts.map(part))]
        }
        let message: JSONTree = [
            "clientContent": ["turns": .array(contents), "turnComplete": .bool(isComplete)]
        ]
        return try message.text()
    }

    private static func realtime(_ input: JSONTree) throws -> String {
        try (["realtimeInput": input] as JSONTree).text()
    }

    /// A piece of a stream.
    ///
    /// Base64 needs no escapes in JSON, so it goes between two constants without an encoder.
    private static func blob(_ field: String, _ bytes: [UInt8], _ mimeType: String) -> String {
        let prefix = #"{"realtimeInput":{"\#(field)":{"data":""#
        let suffix = #"","mimeType":"\#(mimeType)"}}}"#
        var message = prefix
        message.reserveCapacity(prefix.utf8.count + (bytes.count + 2) / 3 * 4 + suffix.utf8.count)
        message += Data(bytes).base64EncodedString()
        message += suffix
        return message
    }

    private static func part(_ part: LiveTurn.Part) -> JSONTree {
        switch part {
        case .text(let text): ["text": .string(text)]
        case .jpeg(let bytes):
            ["inlineData": ["mimeType": "image/jpeg", "data": .string(Data(bytes).base64EncodedString())]]
        }
    }

    private static func answer(_ response: LiveToolResponse) throws -> JSONTree {
        .fields([
            "id": .string(response.id), "name": .string(response.name),
            "response": try .object(spelled: response.response),
            "scheduling": response.scheduling.map { .string($0.rawValue) },
            "willContinue": response.continues ? true : nil,
        ])
    }
}
