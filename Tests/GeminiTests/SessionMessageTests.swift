import GeminiLive
import GeminiServer
import HTTPTypes
import Services
import Simulation
import SimulationTesting
import Synchronization
import TestSupport
import Testing
import Transport

/// What goes over the wire for each input and setting, and what each message of the service becomes.
@Suite("Live messages", .simulated(seeds: 1...5))
struct SessionMessageTests {
    /// What a client sends: its setup, and what it puts in.
    private static func sent(
        _ configuration: LiveConfiguration,
        options: GeminiOptions = GeminiOptions(compressesContext: false, asksForHandles: false),
        _ inputs: [LiveInput] = []
    ) async throws -> [String] {
        let messages = Mutex<[String]>([])
        let model = try await ScriptedServer.model(options: options) { socket in
            while case .text(let text)? = try? await socket.receive() {
                messages.withLock { $0.append(text) }
                try? await socket.send(text: #"{"setupComplete":{}}"#)
            }
        }
        let session = try await model.startSession(configuration)
        for input in inputs { try await session.send(input) }
        await session.close()
        try await Task.sleep(for: .seconds(5))
        return messages.withLock { $0 }
    }

    @Test func `a setup carries every setting under the name of the API`() async throws {
        let configuration = LiveConfiguration(
            model: "m",
            instructions: "Be brief.",
            answer: .speech(LiveVoice(name: "Kore", language: "en-GB")),
            transcribesInput: true,
            transcribesOutput: true,
            tools: [
                .search,
                .function(
                    FunctionDeclaration(name: "look", summary: "Looks.", parameters: ["type": "object"])
                ),
                .function(FunctionDeclaration(name: "hum", summary: "Hums."), isBlocking: false),
                .codeExecution, .urlContext,
            ],
            activity: LiveActivity(
                detection: .automatic(
                    LiveVoiceDetection(
                        start: .low,
                        end: .high,
                        prefix: .milliseconds(40),
                        silence: .seconds(1)
                    )
                ),
                interrupts: false,
                coverage: .allInput
            ),
            thinking: LiveThinking(budget: 0, isShown: true),
            safety: [.harassment: .off],
            history: [LiveTurn(.user, text: "Hi"), LiveTurn(.model, [.text("Yes?"), .jpeg([1, 2])])],
            window: LiveContextWindow(trigger: 1000, target: 600),
            temperature: 0.5,
            longestAnswer: 99
        )
        let messages = try await Self.sent(configuration)
        #expect(
            messages == [
                #"{"setup":{"contextWindowCompression":{"slidingWindow":{"targetTokens":600},"triggerTokens":1000},"#
                    + #""generationConfig":{"maxOutputTokens":99,"responseModalities":["AUDIO"],"#
                    + #""speechConfig":{"languageCode":"en-GB","voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Kore"}}},"#
                    + #""temperature":0.5,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}},"#
                    + #""historyConfig":{"initialHistoryInClientContent":true},"inputAudioTranscription":{},"#
                    + #""model":"models/m","outputAudioTranscription":{},"#
                    + #""realtimeInputConfig":{"activityHandling":"NO_INTERRUPTION","automaticActivityDetection":"#
                    + #"{"endOfSpeechSensitivity":"END_SENSITIVITY_HIGH","prefixPaddingMs":40,"silenceDurationMs":1000,"#
                    + #""startOfSpeechSensitivity":"START_SENSITIVITY_LOW"},"turnCoverage":"TURN_INCLUDES_ALL_INPUT"},"#
                    + #""safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"#
                    + #""systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":["#
                    + #"{"description":"Looks.","name":"look","parametersJsonSchema":{"type":"object"}},"#
                    + #"{"behavior":"NON_BLOCKING","description":"Hums.","name":"hum"}]},"#
                    + #"{"googleSearch":{}},{"codeExecution":{}},{"urlContext":{}}]}}"#,
                #"{"clientContent":{"turnComplete":true,"turns":[{"parts":[{"text":"Hi"}],"role":"user"},"#
                    + #"{"parts":[{"text":"Yes?"},{"inlineData":{"data":"AQI=","mimeType":"image/jpeg"}}],"role":"model"}]}}"#,
            ]
        )
    }

    @Test func `a setup without settings carries none, and a session that goes on no history`() async throws {
        let history = [LiveTurn(.user, text: "Hi")]
        let configuration = LiveConfiguration(model: "m", resumption: "h", history: history)
        #expect(
            try await Self.sent(configuration) == [
                #"{"setup":{"generationConfig":{"responseModalities":["TEXT"]},"model":"models/m","#
                    + #""sessionResumption":{"handle":"h"}}}"#
            ]
        )
        let manual = LiveConfiguration(model: "m", activity: LiveActivity(detection: .manual))
        #expect(
            try await Self.sent(manual) == [
                #"{"setup":{"generationConfig":{"responseModalities":["TEXT"]},"model":"models/m","#
                    + #""realtimeInputConfig":{"automaticActivityDetection":{"disabled":true}}}}"#
            ]
        )
    }

    @Test func `each input is a message of its own`() async throws {
        let inputs: [LiveInput] = [
            .audio(LiveAudio(pcm: [0, 1, 2, 3])), .audio(LiveAudio(pcm: [], sampleRate: 8_000)),
            .audioStreamEnd,
            .activityStart, .activityEnd, .turns([LiveTurn(.user, text: "A")], isComplete: false),
            .toolResponses([
                LiveToolResponse(id: "1", name: "look", values: ["output": [1, 2.5, nil, true]]),
                LiveToolResponse(
                    id: "2",
                    name: "hum",
                    values: [:],
                    scheduling: .whenIdle,
                    continues: true
                ),
            ]),
            .contextUpdate(instructions: "Fly!"), .contextUpdate(tools: []),
            .contextUpdate(instructions: "", tools: [.search]),
        ]
        #expect(
            try await Self.sent(LiveConfiguration(model: "m"), inputs).dropFirst() == [
                #"{"realtimeInput":{"audio":{"data":"AAECAw==","mimeType":"audio/pcm;rate=16000"}}}"#,
                #"{"realtimeInput":{"audio":{"data":"","mimeType":"audio/pcm;rate=8000"}}}"#,
                #"{"realtimeInput":{"audioStreamEnd":true}}"#, #"{"realtimeInput":{"activityStart":{}}}"#,
                #"{"realtimeInput":{"activityEnd":{}}}"#,
                #"{"clientContent":{"turnComplete":false,"turns":[{"parts":[{"text":"A"}],"role":"user"}]}}"#,
                #"{"toolResponse":{"functionResponses":[{"id":"1","name":"look","response":{"output":[1,2.5,null,true]}},"#
                    + #"{"id":"2","name":"hum","response":{},"scheduling":"WHEN_IDLE","willContinue":true}]}}"#,
                #"{"contextUpdate":{"systemInstruction":{"parts":[{"text":"Fly!"}]}}}"#,
                #"{"contextUpdate":{"tools":{"tools":[]}}}"#,
                #"{"contextUpdate":{"systemInstruction":{"parts":[{"text":""}]},"tools":{"tools":[{"googleSearch":{}}]}}}"#,
            ]
        )
    }

    @Test(arguments: [
        LiveInput.audio(LiveAudio(pcm: [1])), .audio(LiveAudio(pcm: [1, 2], sampleRate: 0)),
        .toolResponses([LiveToolResponse(id: "1", name: "f", values: ["sesame": .number(.infinity)])]),
    ])
    func `what no service could read is refused before it is sent, and the session goes on`(
        _ input: LiveInput
    ) async throws {
        let session = try await ScriptedServer.saying([.text(#"{"serverContent":{"turnComplete":true}}"#)])
        let error = await #expect(throws: LiveModelError.self) { try await session.send(input) }
        #expect(error?.code == .rejected && error?.description.contains("sesame") == false)
        #expect(try await session.nextEvent() == .turnComplete)
    }

    @Test(arguments: [
        (
            #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=24000","data":"AQI-_w"}}]}}}"#,
            [LiveEvent.audio(LiveAudio(pcm: [1, 2, 62, 255], sampleRate: 24_000))]
        ),
        (
            #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"AQI="}},{"text":"a"}]}}}"#,
            [.audio(LiveAudio(pcm: [1, 2], sampleRate: 24_000)), .text("a")]
        ),
        (
            #"{"serverContent":{"outputTranscription":{"text":"b"},"inputTranscription":{"text":"a","finished":true}}}"#,
            [.heard(LiveTranscript("a", isFinished: true)), .spoken(LiveTranscript("b"))]
        ),
        (
            #"{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":{"b":1,"a":[null]}},{"id":"2","name":"g"}]}}"#,
            [
                .toolCall([
                    LiveToolCall(id: "1", name: "f", arguments: ["a": [nil], "b": 1]),
                    LiveToolCall(id: "2", name: "g"),
                ])
            ]
        ),
        (#"{"toolCallCancellation":{"ids":["1","2"]}}"#, [.toolCallCancelled(ids: ["1", "2"])]),
        (#"{"serverContent":{"generationComplete":true}}"#, [.generationComplete]),
        (#"{"serverContent":{"modelTurn":{"parts":[{"text":"hm","thought":true}]}}}"#, [.thought("hm")]),
        (#"{"sessionResumptionUpdate":{}}"#, [.notResumable]),
        (#"{"serverContent":{"waitingForInput":true}}"#, [.waitingForInput]),
        (
            #"{"serverContent":{"turnComplete":true,"turnCompleteReason":"RESPONSE_REJECTED"}}"#,
            [.turnReason(.rejected), .turnComplete]
        ),
        (
            #"{"serverContent":{"turnComplete":true,"turnCompleteReason":"A_NEW_ONE"}}"#,
            [.turnReason(.other), .turnComplete]
        ),
        (
            #"{"serverContent":{"turnComplete":true,"turnCompleteReason":"TURN_COMPLETE_REASON_UNSPECIFIED"}}"#,
            [.turnComplete]
        ),
        (
            #"{"serverContent":{"turnComplete":true,"interactionStatus":"IDLE"}}"#,
            [.turnComplete, .interaction(.idle)]
        ),
        (
            #"{"voiceActivity":{"voiceActivityType":"ACTIVITY_START","audioOffset":"1.5s"}}"#,
            [.voiceActivity(LiveVoiceActivity(isSpeaking: true, offset: .milliseconds(1500)))]
        ),
        (
            #"{"voiceActivity":{"voiceActivityType":"ACTIVITY_END"}}"#,
            [.voiceActivity(LiveVoiceActivity(isSpeaking: false))]
        ),
        (
            #"{"voiceActivityDetectionSignal":{"vadSignalType":"VAD_SIGNAL_TYPE_EOS"}}"#,
            [.voiceActivity(LiveVoiceActivity(isSpeaking: false))]
        ),
        (#"{"voiceActivity":{"voiceActivityType":"TYPE_UNSPECIFIED"}}"#, [.other]),
        (
            #"{"usageMetadata":{"promptTokenCount":9,"responseTokenCount":2,"thoughtsTokenCount":4,"totalTokenCount":15,"#
                + #""promptTokensDetails":[{"modality":"VIDEO","tokenCount":9},{"modality":"SMELL","tokenCount":1}],"#
                + #""responseTokensDetails":[{"modality":"AUDIO","tokenCount":2}]}}"#,
            [
                .usage(
                    TokenUsage(
                        prompt: 9,
                        answer: 2,
                        thoughts: 4,
                        total: 15,
                        promptDetails: [.video: 9],
                        answerDetails: [.audio: 2]
                    )
                )
            ]
        ),
        (
            #"{"serverContent":{"modelTurn":{"parts":[{"text":"I count."},{"executableCode":{"language":"PYTHON","code":"print(1)"}},"#
                + #"{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}},{"text":"One."}]}}}"#,
            [
                .text("I count."), .code(LiveCode(language: "PYTHON", "print(1)")),
                .codeResult(LiveCodeResult(.finished, output: "1\n")), .text("One."),
            ]
        ),
        (
            #"{"serverContent":{"modelTurn":{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_DEADLINE_EXCEEDED"}},"#
                + #"{"codeExecutionResult":{"outcome":"A_NEW_ONE","output":"?"}},{"codeExecutionResult":{"outcome":"OUTCOME_FAILED"}}]}}}"#,
            [
                .codeResult(LiveCodeResult(.timedOut)), .codeResult(LiveCodeResult(.unknown, output: "?")),
                .codeResult(LiveCodeResult(.failed)),
            ]
        ),
        (
            #"{"serverContent":{"groundingMetadata":{"webSearchQueries":["euro 2024 winner"],"searchEntryPoint":{"renderedContent":"<p>"},"#
                + #""groundingChunks":[{"web":{"uri":"https://a.test/1","title":"a.test","domain":"a.test"}},{"retrievedContext":{}}],"#
                + #""groundingSupports":[{"segment":{"startIndex":0,"endIndex":9,"text":"Spain won"},"groundingChunkIndices":[0,1,2,-1],"#
                + #""confidenceScores":[0.9]}]},"turnComplete":true}}"#,
            [
                .grounding(
                    LiveGrounding(
                        queries: ["euro 2024 winner"],
                        sources: [.init(address: "https://a.test/1", title: "a.test"), .init(address: "")],
                        supports: [.init("Spain won", sources: [0, 1])],
                        suggestions: "<p>"
                    )
                ), .turnComplete,
            ]
        ),
        (
            #"{"serverContent":{"groundingMetadata":{},"urlContextMetadata":{},"generationComplete":true}}"#,
            [.generationComplete]
        ),
        (
            #"{"serverContent":{"urlContextMetadata":{"urlMetadata":[{"retrievedUrl":"https://a.test/","urlRetrievalStatus":"#
                + #""URL_RETRIEVAL_STATUS_SUCCESS"},{"retrievedUrl":"https://b.test/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_PAYWALL"},"#
                + #"{"retrievedUrl":"https://c.test/","urlRetrievalStatus":"A_NEW_ONE"}]}}}"#,
            [
                .addressesRead([
                    LiveAddressRead("https://a.test/", .read), LiveAddressRead("https://b.test/", .paywall),
                    LiveAddressRead("https://c.test/", .unknown),
                ])
            ]
        ),
        (
            #"{"serverContent":{"interimInputTranscription":{"text":"What is"},"inputTranscription":{"text":"Well."}}}"#,
            [.hearing(LiveTranscript("What is")), .heard(LiveTranscript("Well."))]
        ),
        (
            #"{"usageMetadata":{"promptTokenCount":90,"responseTokenCount":2,"cachedContentTokenCount":50,"toolUsePromptTokenCount":30}}"#,
            [.usage(TokenUsage(prompt: 90, answer: 2, total: 122, cached: 50, toolUse: 30))]
        ),
        (
            #"{"usageMetadata":{"promptTokenCount":9223372036854775807,"responseTokenCount":1}}"#,
            [.usage(TokenUsage(prompt: .max, answer: 1, total: .max))]
        ),
    ])
    func `what the service says is an event of its own`(_ message: String, _ events: [LiveEvent]) async throws
    {
        let session = try await ScriptedServer.saying([.text(message)])
        #expect(try await session.events(events.count) == events)
    }

    @Test(arguments: [
        #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"AAAA"}}]}}}"#,
        #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=0","data":"AAA="}}]}}}"#,
        #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=x","data":"AAA="}}]}}}"#,
        #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"no base64!"}}]}}}"#,
        #"{"voiceActivity":{"voiceActivityType":"ACTIVITY_START","audioOffset":"soon"}}"#,
        #"{"serverContent":{"waitingForInput":"yes"}}"#,
        #"{"serverContent":{"groundingMetadata":{"groundingChunks":[5]}}}"#,
        #"{"serverContent":{"groundingMetadata":{"groundingSupports":[{"groundingChunkIndices":[1e300]}]}}}"#,
        #"{"serverContent":{"modelTurn":{"parts":[{"executableCode":"print(1)"}]}}}"#,
        #"{"serverContent":{"urlContextMetadata":{"urlMetadata":{}}}}"#,
        #"{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":[]}]}}"#,
        #"{"toolCall":{"functionCalls":[{"id":"1"}]}}"#, #"{"toolCall":{"functionCalls":[{"name":5}]}}"#,
        #"{"toolCall":{"functionCalls":[{"name":"f","args":\#(String(repeating: "[", count: 100_000))}]}}"#,
    ])
    func `sound and calls that make no sense are reported, and the session goes on`(_ message: String)
        async throws
    {
        let session = try await ScriptedServer.saying([
            .text(message), .text(#"{"serverContent":{"turnComplete":true}}"#),
        ])
        let events = try await session.events(2)
        guard case .unreadable(let detail) = events[0] else {
            Issue.record("not reported: \(events[0])")
            return
        }
        #expect(detail.utf8.count < 1000 && events[1] == .turnComplete)
    }

    @Test(arguments: [
        (#"{"serverContent":{"modelTurn":{"parts":["#, "{},", "{}]}}}"),
        (#"{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":{"a":["#, "1,", "1]}}]}}"),
        (#"{"serverContent":{"groundingMetadata":{"groundingChunks":["#, "{},", "{}]}}}"),
        (#"{"toolCallCancellation":{"ids":["#, #""","#, #"""]}}"#), (#"{"new":["#, "[],", "[]]}"),
    ])
    func `a message of very many values is reported without being read, and one below the bound is read`(
        _ start: String,
        _ value: String,
        _ end: String
    ) async throws {
        for (count, isRead) in [(200_000, false), (10_000, true)] {
            let message = start + String(repeating: value, count: count) + end
            let session = try await ScriptedServer.saying([
                .text(message), .text(#"{"serverContent":{"turnComplete":true}}"#),
            ])
            let event = try await session.nextEvent()
            guard case .unreadable(let detail) = event else {
                #expect(isRead, "\(count) values were read")
                continue
            }
            #expect(!isRead && detail.contains("more than 100000 values") && detail.utf8.count < 1000)
            #expect(try await session.nextEvent() == .turnComplete)
        }
    }

    @Test func `marks within a text are no values`() async throws {
        let text = String(repeating: #"{[,""#, count: 80_000)
        let escaped = String(repeating: #"{[,\""#, count: 80_000)
        let session = try await ScriptedServer.saying([
            .text(#"{"serverContent":{"modelTurn":{"parts":[{"text":"\#(escaped)"}]}}}"#)
        ])
        #expect(try await session.nextEvent() == .text(text))
    }

    @Test func `a message larger than the limit, of sound too, ends the session with 1009`() async throws {
        let data = String(repeating: "AAAA", count: 5_000_000)
        let message =
            #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"\#(data)"}}]}}}"#
        let session = try await ScriptedServer.saying([.text(message)])
        guard case .closed(code: 1009, _) = try await session.nextEvent() else {
            Issue.record("the session goes on")
            return
        }
        #expect(session.cause(ofClose: 1009, reason: "") == .rejected)
    }

    @Test(arguments: [("auth_tokens/abc", true), ("AIza", false)])
    func `an ephemeral token opens the method for tokens, with its header`(_ key: String, _ isToken: Bool)
        async throws
    {
        struct Seen: WebSocketClient {
            let request: @Sendable (HTTPRequest) -> Void
            func connect(_ request: HTTPRequest, limits: WebSocketLimits, timeout: Duration)
                async throws(TransportError) -> any WebSocket
            {
                self.request(request)
                throw TransportError(.refused, operation: "connect", peer: "gemini.test")
            }
        }
        let seen = Mutex<HTTPRequest?>(nil)
        let model = GeminiLiveModel(client: Seen { request in seen.withLock { $0 = request } }) {
            () throws(SecretStoreError) in Secret(key)
        }
        _ = try? await model.startSession(LiveConfiguration(model: "m"))
        let request = try #require(seen.withLock { $0 })
        let name = try #require(HTTPField.Name("x-goog-api-key"))
        let method =
            isToken
            ? "v1alpha.GenerativeService.BidiGenerateContentConstrained"
            : "v1beta.GenerativeService.BidiGenerateContent"
        #expect(request.path == "/ws/google.ai.generativelanguage.\(method)")
        #expect(request.headerFields[.authorization] == (isToken ? "Token \(key)" : nil))
        #expect(request.headerFields[name] == (isToken ? nil : key))
    }
}
