import Foundation
import GeminiAPI
import Services

/// The messages that a client of Gemini Live sends, as JSON text.
///
/// Keys are sorted, so that equal messages are equal bytes.
enum ClientMessage {
    /// Why an input cannot be a message.
    enum Failure: Error {
        /// Half a sample, or a rate that no sound has.
        case notSound
        /// An update of the context that changes nothing.
        case changesNothing
    }

    /// A message for an input of a session.
    ///
    /// - Throws: ``Failure``, and `EncodingError` for a number that JSON cannot hold.
    static func input(_ input: LiveInput, route: GeminiOptions.TextRoute) throws -> String {
        switch input {
        case .frame(let jpeg): return blob("video", jpeg, "image/jpeg")
        case .audio(let audio):
            guard audio.isWhole else { throw Failure.notSound }
            return blob("audio", audio.pcm, "audio/pcm;rate=\(audio.sampleRate)")
        case .text(let text) where route == .clientContent:
            return try turns([LiveTurn(.user, text: text)], isComplete: true)
        case .text(let text): return try realtime(["text": .text(text)])
        case .audioStreamEnd: return try realtime(["audioStreamEnd": true])
        case .activityStart: return try realtime(["activityStart": [:]])
        case .activityEnd: return try realtime(["activityEnd": [:]])
        case .turns(let turns, let isComplete): return try Self.turns(turns, isComplete: isComplete)
        case .toolResponses(let responses):
            let answers = responses.map(Self.answer)
            return try (["toolResponse": ["functionResponses": .list(answers)]] as StructuredValue).json()
        case .contextUpdate(nil, nil): throw Failure.changesNothing
        // Known from google-genai 3.x (`LiveClientContextUpdate`) only.
        case .contextUpdate(let instructions, let tools):
            let update = StructuredValue.fields([
                "systemInstruction": instructions.map { LiveSetup.instructions($0) },
                // The list is wrapped, so that no tools differ from no change.
                "tools": tools.map { ["tools": LiveSetup.tools($0)] },
            ])
            return try (["contextUpdate": update] as StructuredValue).json()
        }
    }

    /// The first message of a session.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold.
    static func setup(_ configuration: LiveConfiguration, options: GeminiOptions) throws -> String {
        let setup = LiveSetup.document(
            configuration,
            asksForHandles: options.asksForHandles,
            compressesContext: options.compressesContext
        )
        return try (["setup": setup] as StructuredValue).json()
    }

    /// Turns of the conversation proper, or its history.
    static func turns(_ turns: [LiveTurn], isComplete: Bool) throws -> String {
        let contents = turns.map { turn -> StructuredValue in
            ["role": .text(turn.role.rawValue), "parts": .list(turn.parts.map(part))]
        }
        let message: StructuredValue = [
            "clientContent": ["turns": .list(contents), "turnComplete": .bool(isComplete)]
        ]
        return try message.json()
    }

    private static func realtime(_ input: StructuredValue) throws -> String {
        try (["realtimeInput": input] as StructuredValue).json()
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

    private static func part(_ part: LiveTurn.Part) -> StructuredValue {
        switch part {
        case .text(let text): ["text": .text(text)]
        case .jpeg(let bytes):
            ["inlineData": ["mimeType": "image/jpeg", "data": .text(Data(bytes).base64EncodedString())]]
        }
    }

    private static func answer(_ response: LiveToolResponse) -> StructuredValue {
        .fields([
            "id": .text(response.id), "name": .text(response.name),
            "response": .object(response.values),
            "scheduling": response.scheduling.map { .text(WireNames.name(of: $0)) },
            "willContinue": response.continues ? true : nil,
        ])
    }
}
