import Foundation
import GeminiAPI
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
                let inlineData: Blob?
                let executableCode: ServiceToolMessages.Code?
                let codeExecutionResult: ServiceToolMessages.CodeResult?
            }

            let parts: [Part]?
        }

        struct Blob: Decodable {
            let mimeType: String?
            let data: String?
        }

        struct Transcription: Decodable {
            let text: String?
            let finished: Bool?
        }

        let modelTurn: Turn?
        let generationComplete: Bool?
        let interrupted: Bool?
        let turnComplete: Bool?
        let inputTranscription: Transcription?
        let interimInputTranscription: Transcription?
        let outputTranscription: Transcription?
        let groundingMetadata: ServiceToolMessages.Grounding?
        let urlContextMetadata: ServiceToolMessages.Addresses?
        let waitingForInput: Bool?
        let turnCompleteReason: String?
        let interactionStatus: String?
    }

    private struct VoiceActivity: Decodable {
        let voiceActivityType: String?
        let audioOffset: String?
    }

    /// The older form of the same; it says nothing of the place.
    private struct VoiceSignal: Decodable {
        let vadSignalType: String?
    }

    private struct ToolCall: Decodable {
        struct Call: Decodable {
            let id: String?
            let name: String
            let args: [String: StructuredValue]?
        }

        let functionCalls: [Call]?
    }

    private struct Cancellation: Decodable {
        let ids: [String]?
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
    private let toolCall: ToolCall?
    private let toolCallCancellation: Cancellation?
    private let voiceActivity: VoiceActivity?
    private let voiceActivityDetectionSignal: VoiceSignal?
    private let usageMetadata: UsageDocument?
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

    /// What the message says, at least one event: the parts of an answer in their order, transcripts, how the turn goes on,
    /// calls of tools, and what concerns the connection.
    ///
    /// Usage comes before the end of a turn that it rides on, so that a reader who stops there has it.
    ///
    /// - Throws: What is well-formed and makes no sense.
    func events() throws -> [LiveEvent] {
        var events: [LiveEvent] = []
        for part in serverContent?.modelTurn?.parts ?? [] { events += try Self.events(of: part) }
        if let guess = Self.transcript(serverContent?.interimInputTranscription) {
            events.append(.hearing(guess))
        }
        if let heard = Self.transcript(serverContent?.inputTranscription) { events.append(.heard(heard)) }
        if let spoken = Self.transcript(serverContent?.outputTranscription) { events.append(.spoken(spoken)) }
        if let grounding = serverContent?.groundingMetadata?.value { events.append(.grounding(grounding)) }
        if let addresses = serverContent?.urlContextMetadata?.value, !addresses.isEmpty {
            events.append(.addressesRead(addresses))
        }
        if serverContent?.interrupted == true { events.append(.interrupted) }
        if serverContent?.waitingForInput == true { events.append(.waitingForInput) }
        if serverContent?.generationComplete == true { events.append(.generationComplete) }
        if let usageMetadata { events.append(.usage(usageMetadata.value)) }
        if let reason = turnReason { events.append(.turnReason(reason)) }
        if serverContent?.turnComplete == true { events.append(.turnComplete) }
        if let status = serverContent?.interactionStatus.flatMap({ WireNames.interactions[$0] }) {
            events.append(.interaction(status))
        }
        if let activity = try heardActivity() { events.append(.voiceActivity(activity)) }
        if let calls = toolCall?.functionCalls, !calls.isEmpty {
            events.append(.toolCall(calls.map(Self.call)))
        }
        if let ids = toolCallCancellation?.ids, !ids.isEmpty { events.append(.toolCallCancelled(ids: ids)) }
        if let update = sessionResumptionUpdate { events += Self.events(of: update) }
        if let goAway {
            let left = goAway.timeLeft ?? "0s"
            guard let duration = Duration(protobufJSON: left) else {
                throw ServerMessageError.badDuration(left)
            }
            events.append(.goingAway(timeLeft: duration))
        }
        return events.isEmpty ? [.other] : events
    }

    private static func events(of part: ServerContent.Turn.Part) throws -> [LiveEvent] {
        var events: [LiveEvent] = []
        if let text = part.text, !text.isEmpty {
            events.append(part.thought == true ? .thought(text) : .text(text))
        }
        if let code = part.executableCode?.value { events.append(.code(code)) }
        if let result = part.codeExecutionResult?.value { events.append(.codeResult(result)) }
        if let blob = part.inlineData, let audio = try audio(in: blob) { events.append(.audio(audio)) }
        return events
    }

    /// The sound of a blob; `nil` for none, or for data of another kind.
    private static func audio(in blob: ServerContent.Blob) throws -> LiveAudio? {
        let fields = (blob.mimeType ?? "").lowercased().split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard fields.first == "audio/pcm", let text = blob.data, !text.isEmpty else { return nil }
        let rate = fields.first { $0.hasPrefix("rate=") }.map { Int($0.dropFirst("rate=".count)) ?? 0 }
        guard let data = Data(base64Encoded: text) ?? Data(base64Encoded: text.standardBase64) else {
            throw ServerMessageError.badSound
        }
        let audio = LiveAudio(pcm: Array(data), sampleRate: rate ?? LiveAudio.outputRate)
        guard audio.isWhole else { throw ServerMessageError.badSound }
        return audio
    }

    private static func transcript(_ transcription: ServerContent.Transcription?) -> LiveTranscript? {
        guard let transcription else { return nil }
        let transcript = LiveTranscript(transcription.text ?? "", isFinished: transcription.finished ?? false)
        return transcript.text.isEmpty && !transcript.isFinished ? nil : transcript
    }

    private static func call(_ call: ToolCall.Call) -> LiveToolCall {
        LiveToolCall(id: call.id ?? "", name: call.name, arguments: call.args ?? [:])
    }

    /// Reasons that are new here are some other reason; one that is not specified is none.
    private var turnReason: LiveTurnReason? {
        guard let name = serverContent?.turnCompleteReason, name != "TURN_COMPLETE_REASON_UNSPECIFIED" else {
            return nil
        }
        return WireNames.turnReasons[name] ?? .other
    }

    /// - Throws: ``ServerMessageError/badDuration(_:)``.
    private func heardActivity() throws -> LiveVoiceActivity? {
        let offset = try voiceActivity?.audioOffset.map { text in
            guard let duration = Duration(protobufJSON: text) else {
                throw ServerMessageError.badDuration(text)
            }
            return duration
        }
        switch voiceActivity?.voiceActivityType ?? voiceActivityDetectionSignal?.vadSignalType {
        case "ACTIVITY_START", "VAD_SIGNAL_TYPE_SOS":
            return LiveVoiceActivity(isSpeaking: true, offset: offset)
        case "ACTIVITY_END", "VAD_SIGNAL_TYPE_EOS":
            return LiveVoiceActivity(isSpeaking: false, offset: offset)
        default: return nil
        }
    }

    private static func events(of update: Resumption) -> [LiveEvent] {
        if update.resumable == true, let handle = update.newHandle, !handle.isEmpty {
            return [.resumable(handle: handle)]
        }
        // What is false or empty is left out (proto3 JSON).
        return [.notResumable]
    }
}

extension String {
    /// The same Base64 in the standard alphabet and with its padding; both alphabets are in use.
    fileprivate var standardBase64: String {
        let standard = replacing("-", with: "+").replacing("_", with: "/")
        return standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    }
}

/// Why a well-formed message was not understood.
enum ServerMessageError: Error {
    case badDuration(String)
    /// Base64 that is none, half a sample, or a rate that no sound has.
    case badSound
    /// More than ``JSONSize/mostValues``.
    case tooManyValues
}
