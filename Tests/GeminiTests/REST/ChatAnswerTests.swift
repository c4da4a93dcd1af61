import Foundation
import GeminiREST
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Whole answers over REST", .simulated(seeds: 1...5))
struct ChatAnswerTests {
    private static let prompt = ChatRequest(model: "gemini-2.5-flash", contents: [.user("Hello")])

    @Test(
        "LENS-234 the answer to a prompt is its text, empty where it has none, and an error where there is no answer"
    )
    func texts() async throws {
        let two =
            #"{"candidates":[{"content":{"parts":[{"text":"Hel"},{"text":"lo"}]},"finishReason":"STOP"}]}"#
        let none = #"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}"#
        let withoutContent = #"{"candidates":[{"finishReason":"SAFETY"}]}"#
        let failure = ScriptedChat.error(404, "NOT_FOUND", "models/x is not found")
        let chat = ScriptedChat { number, _, _ in
            switch number {
            case 0: ScriptedChat.ok(.text(two))
            case 1: ScriptedChat.ok(.text(none))
            case 2: ScriptedChat.ok(.text(withoutContent))
            default: ScriptedChat.refusal(404, failure)
            }
        }
        let model = try await chat.model()
        #expect(try await model.text(for: "Hello", model: "gemini-2.5-flash") == "Hello")
        #expect(try await model.text(for: "Hello", model: "gemini-2.5-flash") == "")
        #expect(try await model.text(for: "Hello", model: "gemini-2.5-flash") == "")
        let error = await #expect(throws: ChatModelError.self) {
            try await model.text(for: "Hello", model: "gemini-2.5-flash")
        }
        #expect(error?.code == .notFound && error?.status == 404)
        let sent = chat.requests.value.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(sent.allSatisfy { $0 == #"{"contents":[{"parts":[{"text":"Hello"}],"role":"user"}]}"# })
    }

    @Test func `a request carries all that it asks for, and the key in a header alone`() async throws {
        let chat = ScriptedChat(document: ScriptedChat.piece("ok", finish: "STOP"))
        let request = ChatRequest(
            model: "models/gemini-2.5-flash",
            contents: [
                ChatContent(.user, [.text("Look"), .inline(mediaType: "image/jpeg", [0xFF, 0xD8, 0xFB])]),
                ChatContent(
                    .model,
                    [
                        .functionCall(
                            FunctionCall(id: "7", name: "f", arguments: ["a": .integer(1)], signature: "c2ln")
                        )
                    ]
                ),
                ChatContent(
                    .user,
                    [
                        .functionResult(FunctionResult(id: "7", name: "f", values: ["output": .text("x")])),
                        .file(uri: "https://g/v1beta/files/1", mediaType: "video/mp4"),
                    ]
                ),
            ],
            instructions: "Be brief.",
            settings: GenerationSettings(
                temperature: 0.5,
                topK: 3,
                longestAnswer: 100,
                stopSequences: ["END"],
                presencePenalty: 0.25,
                frequencyPenalty: -0.5,
                thinking: ChatThinking(.tokens(64), isShown: true)
            ),
            safety: [.harassment: .high, .unknown: .low],
            output: .json(schema: .object(["type": .text("object")])),
            functions: [FunctionDeclaration(name: "f", summary: "does")],
            functionUse: .always(among: ["f"])
        )
        _ = try await chat.model().generate(request)
        let sent = try #require(chat.requests.value.first)
        #expect(sent.head.path == "/v1beta/models/gemini-2.5-flash:generateContent")
        #expect(sent.head.method == .post)
        let name = try #require(HTTPField.Name("x-goog-api-key"))
        #expect(sent.head.headerFields[name] == ScriptedChat.key)
        #expect(!String(decoding: sent.body, as: UTF8.self).contains(ScriptedChat.key))
        let expected =
            #"{"contents":[{"parts":[{"text":"Look"},{"inlineData":{"data":"/9j7","mimeType":"image/jpeg"}}],"role":"user"},"#
            + #"{"parts":[{"functionCall":{"args":{"a":1},"id":"7","name":"f"},"thoughtSignature":"c2ln"}],"role":"model"},"#
            + #"{"parts":[{"functionResponse":{"id":"7","name":"f","response":{"output":"x"}}},"#
            + #"{"fileData":{"fileUri":"https://g/v1beta/files/1","mimeType":"video/mp4"}}],"role":"user"}],"#
            + #""generationConfig":{"frequencyPenalty":-0.5,"maxOutputTokens":100,"presencePenalty":0.25,"#
            + #""responseJsonSchema":{"type":"object"},"responseMimeType":"application/json","#
            + #""stopSequences":["END"],"temperature":0.5,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":64},"topK":3},"#
            + #""safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_ONLY_HIGH"}],"#
            + #""systemInstruction":{"parts":[{"text":"Be brief."}],"role":"user"},"#
            + #""toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["f"],"mode":"ANY"}},"#
            + #""tools":[{"functionDeclarations":[{"description":"does","name":"f"}]}]}"#
        #expect(String(decoding: sent.body, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (ChatThinking(.low), #"{"thinkingLevel":"LOW"}"#),
        (ChatThinking(.medium), #"{"thinkingLevel":"MEDIUM"}"#),
        (ChatThinking(.high, isShown: true), #"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#),
        (ChatThinking(), "{}"),
    ])
    func `thinking is measured in tokens or in levels`(_ thinking: ChatThinking, _ config: String)
        async throws
    {
        let chat = ScriptedChat(document: ScriptedChat.piece("ok", finish: "STOP"))
        var request = Self.prompt
        request.settings.thinking = thinking
        _ = try await chat.model().generate(request)
        let body = String(decoding: try #require(chat.requests.value.first?.body), as: UTF8.self)
        #expect(body.contains(#""generationConfig":{"thinkingConfig":\#(config)}"#), "\(body)")
    }

    @Test(arguments: [
        (FunctionUse.automatic, #"{"mode":"AUTO"}"#), (.never, #"{"mode":"NONE"}"#),
        (.always(), #"{"mode":"ANY"}"#),
        (.validated(among: ["f", "g"]), #"{"allowedFunctionNames":["f","g"],"mode":"VALIDATED"}"#),
    ])
    func `a request says whether functions are called`(_ use: FunctionUse, _ config: String) async throws {
        let chat = ScriptedChat(document: ScriptedChat.piece("ok", finish: "STOP"))
        var request = Self.prompt
        request.functionUse = use
        _ = try await chat.model().generate(request)
        let body = String(decoding: try #require(chat.requests.value.first?.body), as: UTF8.self)
        #expect(body.contains(#""toolConfig":{"functionCallingConfig":\#(config)}"#), "\(body)")
    }

    @Test func `what a request leaves to the service is not in it`() async throws {
        let chat = ScriptedChat(document: ScriptedChat.piece("ok", finish: "STOP"))
        _ = try await chat.model().generate(Self.prompt)
        let body = try #require(chat.requests.value.first?.body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"contents":[{"parts":[{"text":"Hello"}],"role":"user"}]}"#
        )
    }

    @Test func `thoughts are no words of the answer, and calls, pictures, usage and ratings are values`()
        async throws
    {
        let document =
            #"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Yes"},{"text":"…","thought":true},"#
            + #"{"functionCall":{"name":"f","args":{"n":2.5}},"thoughtSignature":"abc"},"#
            + #"{"inlineData":{"mimeType":"image/png","data":"-_8"}},{"executableCode":{"code":"1"}}]},"#
            + #""finishReason":"MAX_TOKENS","safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","#
            + #""probability":"LOW"},{"category":"NEW","probability":"NEWER","blocked":true}]}],"#
            + #""usageMetadata":{"promptTokenCount":3.0,"candidatesTokenCount":1,"totalTokenCount":9,"#
            + #""thoughtsTokenCount":5,"cachedContentTokenCount":2,"toolUsePromptTokenCount":7,"#
            + #""promptTokensDetails":[{"modality":"IMAGE","tokenCount":3},{"modality":"SMELL","tokenCount":1}],"#
            + #""candidatesTokensDetails":[{"modality":"TEXT","tokenCount":1}]},"responseId":"r","newField":{"a":[]}}"#
        let answer = try await ScriptedChat(document: document).model().generate(Self.prompt)
        #expect(
            answer.parts == [
                .text("Yes"),
                .functionCall(FunctionCall(name: "f", arguments: ["n": .number(2.5)], signature: "abc")),
                .inline(mediaType: "image/png", [0xFB, 0xFF]),
            ]
        )
        #expect(answer.text == "Yes" && answer.functionCalls.map(\.name) == ["f"])
        #expect(
            answer.ending
                == .finished(
                    .tokenLimit,
                    [
                        SafetyRating(category: .dangerous, probability: .low),
                        SafetyRating(category: .unknown, probability: .unknown, isBlocking: true),
                    ]
                )
        )
        #expect(answer.thoughts == "hm…")
        let usage = TokenUsage(
            prompt: 3,
            answer: 1,
            thoughts: 5,
            total: 9,
            cached: 2,
            toolUse: 7,
            promptDetails: [.image: 3],
            answerDetails: [.text: 1]
        )
        #expect(answer.usage == usage)
        #expect(!answer.ending.isComplete)
    }

    @Test func `a request that is refused for safety is a value, and no error`() async throws {
        let document =
            #"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"totalTokenCount":4}}"#
        let answer = try await ScriptedChat(document: document).model().generate(Self.prompt)
        #expect(answer.ending == .blocked(.prohibited, []) && answer.parts.isEmpty)
        let new = #"{"promptFeedback":{"blockReason":"NEW_REASON"}}"#
        #expect(
            try await ScriptedChat(document: new).model().generate(Self.prompt).ending
                == .blocked(.unknown, [])
        )
    }

    @Test(
        "what is no answer of the service is malformed",
        arguments: [
            "", "{}", "[]", "null", "{\"candidates\":3}", "<html>", #"{"other":1}"#,
            String(repeating: "[", count: 9_000),
        ]
    )
    func malformed(document: String) async throws {
        let error = await #expect(throws: ChatModelError.self) {
            try await ScriptedChat(document: document).model().generate(Self.prompt)
        }
        #expect(error?.code == .malformed)
    }

    @Test func `a page of somebody in between is no answer`() async throws {
        let chat = ScriptedChat { _, _, _ in
            ScriptedChat.ok(
                .text(ScriptedChat.piece("log in", finish: "STOP")),
                type: "text/html; charset=utf-8"
            )
        }
        let model = try await chat.model()
        let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(error?.code == .untrusted)
    }

    @Test func `tokens are counted with instructions, and none is zero`() async throws {
        let chat = ScriptedChat { number, _, _ in
            ScriptedChat.ok(.text(number == 0 ? #"{"totalTokens":31}"# : "{}"))
        }
        let model = try await chat.model()
        var request = Self.prompt
        request.instructions = "Be brief."
        #expect(try await model.countTokens(request) == 31)
        #expect(try await model.countTokens(Self.prompt) == 0)
        let sent = try #require(chat.requests.value.first)
        #expect(sent.head.path == "/v1beta/models/gemini-2.5-flash:countTokens")
        #expect(
            String(decoding: sent.body, as: UTF8.self)
                == #"{"generateContentRequest":{"contents":[{"parts":[{"text":"Hello"}],"role":"user"}],"#
                + #""model":"models/gemini-2.5-flash","#
                + #""systemInstruction":{"parts":[{"text":"Be brief."}],"role":"user"}}}"#
        )
    }

    @Test(
        "a model's name that a path cannot hold, and a request without words, are refused before anything is sent",
        arguments: ["../secrets", "a b", "x?key=1", "a/b/c", "", "models/", "é", "x#"]
    )
    func names(name: String) async throws {
        let chat = ScriptedChat(document: "{}")
        let model = try await chat.model()
        let error = await #expect(throws: ChatModelError.self) {
            try await model.generate(ChatRequest(model: name, contents: [.user("Hello")]))
        }
        let empty = await #expect(throws: ChatModelError.self) {
            try await model.generate(ChatRequest(model: "m", contents: [ChatContent(.user, [])]))
        }
        #expect(error?.code == .rejected && empty?.code == .rejected)
        #expect(chat.requests.value.isEmpty)
    }
}
