import Foundation
import GeminiScripts
import GeminiServer
import HTTPTypes
import PeerKit
import Services
import SimulationTesting
import Testing
import Transport

/// Runs the examples of `Fixtures/Gemini`.
@Suite("Scripts of the simulated Gemini", .simulated(seeds: 1...3))
struct GeminiScriptTests {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/Gemini").standardizedFileURL

    private func caller(_ example: String) async throws -> RESTCaller {
        let text = try String(contentsOf: Self.examples.appending(path: "\(example).yaml"), encoding: .utf8)
        return RESTCaller(
            try await GeminiWorld(script: GeminiScript(brain: try GeminiScriptFile.brain(of: text)))
        )
    }

    private func say(_ caller: RESTCaller, _ parts: JSONValue...) async throws -> RESTCaller.Answer {
        try await caller.call("generateContent", RESTCaller.prompt(parts))
    }

    private func words(_ caller: RESTCaller, _ text: String) async throws -> String {
        try await say(caller, ["text": .string(text)]).json().words
    }

    @Test func `every example is run by a test`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path)
        #expect(
            files.sorted() == [
                "README.md", "live.yaml", "messages.yaml", "replies.yaml", "rules.yaml",
                "states.yaml", "trouble.yaml",
            ]
        )
    }

    @Test func `replies come turn by turn, at their pace`() async throws {
        let caller = try await caller("replies")
        let start = ContinuousClock.now
        #expect(try await words(caller, "Hello") == "One two.")
        #expect((.seconds(1) ..< .seconds(1.2)).contains(start.duration(to: .now)))
        let turns: JSONValue = [
            "contents": [
                ["role": "user", "parts": [["text": "Hello"]]],
                ["role": "model", "parts": [["text": "One two."]]],
                ["role": "user", "parts": [["text": "Hello"]]],
            ]
        ]
        #expect(try await caller.call("generateContent", turns).json().words == "Three.")
    }

    @Test func `the first rule that holds speaks, each time with its next reply`() async throws {
        let caller = try await caller("rules")
        for expected in ["Good morning!", "Morning.", "Good morning!"] {
            #expect(try await words(caller, "GOOD morning, 1984") == expected)
        }
        #expect(try await words(caller, "It is 1984.") == "That was a year.")
        #expect(try await words(caller, "It is 19845.").contains("You said"))
        let picture = JSONValue.string(Data(TestPicture.jpeg(number: 1)).base64EncodedString())
        let seen = try await say(caller, ["inlineData": ["mimeType": "image/jpeg", "data": picture]])
        #expect(try seen.json().words == "What a picture to begin with.")
        #expect(try await words(caller, "Who are you?") == "Gemini 2.5 Flash, simulated.")
        let answer = try await caller.send(
            .post,
            "/upload/v1/files",
            headers: ["x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start"],
            body: .bytes(JSONValue.object(["file": ["name": "files/a", "mimeType": "text/plain"]]).json)
        )
        let url = try #require(answer.headers.value("x-goog-upload-url"))
        _ = try await caller.send(
            .post,
            String(url.dropFirst("https://gemini.test".count)),
            headers: ["x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0"],
            body: .text("x")
        )
        let file: JSONValue = ["fileData": ["fileUri": "files/a"]]
        #expect(try await say(caller, file).json().words == "Your first file.")
        #expect(try await say(caller, file).json().words != "Your first file.")
    }

    @Test func `a rule per conversation counts in each for itself`() async throws {
        let text = try String(contentsOf: Self.examples.appending(path: "rules.yaml"), encoding: .utf8)
        let world = try await GeminiWorld(script: GeminiScript(brain: try GeminiScriptFile.brain(of: text)))
        let sessions = [try await world.open(), try await world.open()]
        for expected in ["Once.", "Twice."] {
            for session in sessions {
                try await session.send(text: "How often?")
                #expect(try await session.eventsOfTurn().text == expected)
            }
        }
        try await sessions[0].send(text: "How often?")
        #expect(try await sessions[0].eventsOfTurn().text.contains("You said"), "used up")
        let caller = RESTCaller(world)
        func ask(_ turns: JSONValue...) async throws -> String {
            try await caller.call("generateContent", ["contents": .array(turns)]).json().words
        }
        func turn(_ role: JSONValue, _ text: JSONValue) -> JSONValue {
            ["role": role, "parts": [["text": text]]]
        }
        for name in ["Ann", "Bob"] {
            let first = turn("user", .string("\(name) asks how often."))
            #expect(try await ask(first) == "Once.")
            #expect(try await ask(first, turn("model", "Once."), turn("user", "How often?")) == "Twice.")
        }
    }

    @Test func `a rule speaks in its state and leads to the next, over all conversations or in each`()
        async throws
    {
        let caller = try await caller("states")
        for (words, answer) in [
            ("Cancel!", nil), ("A ticket, please.", "To where?"), ("A ticket!", nil),
            ("A ticket!", "You have one."),
        ] as [(String, String?)] {
            let said = try await self.words(caller, words)
            if let answer { #expect(said == answer) }
        }
        let again = try await self.caller("states")
        for (words, answer) in [
            ("A ticket.", "To where?"), ("Cancel.", "Forgotten."), ("Cancel.", nil),
            ("A ticket.", "To where?"),
            ("Rome.", "Booked. A single ticket is 12 euros."), ("Rome.", nil), ("A ticket.", "You have one."),
            ("A ticket.", "You have one."),
        ] as [(String, String?)] {
            let said = try await self.words(again, words)
            if let answer {
                #expect(said == answer)
            } else {
                #expect(said.contains("You said"), "\(words): \(said)")
            }
        }
        let text = try String(contentsOf: Self.examples.appending(path: "states.yaml"), encoding: .utf8)
        let world = try await GeminiWorld(script: GeminiScript(brain: try GeminiScriptFile.brain(of: text)))
        let sessions = [try await world.open(), try await world.open()]
        for expected in ["Pleased to meet you.", "So you have said.", "So you have said."] {
            for session in sessions {
                try await session.send(text: "My name is Ann.")
                #expect(try await session.eventsOfTurn().text == expected)
            }
        }
    }

    @Test func `sources of a script are told with the end of an answer, and not where it is cut before them`()
        async throws
    {
        let source = "{start: 2, end: 5, uri: 'https://a.test/b', license: mit}"
        let script = "version: 1\nreplies: [{messages: [äb, cde], citations: [\(source), {uri: u}]}]"
        func caller() async throws -> RESTCaller {
            RESTCaller(try await GeminiWorld(script: GeminiScript(brain: GeminiScriptFile.brain(of: script))))
        }
        let first: JSONValue = ["startIndex": 2, "endIndex": 5, "uri": "https://a.test/b", "license": "mit"]
        let both: JSONValue = ["citationSources": [first, ["startIndex": 0, "endIndex": 6, "uri": "u"]]]
        let two = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": ["candidateCount": 2]])
        let whole = try await caller().call("generateContent", two).json()
        #expect(
            whole.at("candidates.0.citationMetadata") == both
                && whole.at("candidates.1.citationMetadata") == both
        )
        let stream = try await caller().call("streamGenerateContent", two).json().array ?? []
        #expect(stream.map { $0.at("candidates.0.citationMetadata") } == [nil, both])
        let cut = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": ["stopSequences": ["e"]]])
        let begun = try await caller().call("generateContent", cut).json()
        #expect(
            begun.words == "äbcd" && begun.at("candidates.0.citationMetadata") == ["citationSources": [first]]
        )
    }

    @Test func `a conversation that goes on with a handle goes on counting`() async throws {
        let brain = try GeminiScriptFile.brain(
            of: "version: 1\nrules: [{per: conversation, replies: [One, Two]}]"
        )
        let world = try await GeminiWorld(script: GeminiScript(brain: brain))
        let setup = { (handle: String) in
            #"{"setup":{"model":"models/\#(GeminiWorld.model)","generationConfig":{"responseModalities":["TEXT"]},"sessionResumption":{"handle":"\#(handle)"}}}"#
        }
        var handle = ""
        for _ in 0..<2 {
            let raw = try await world.raw()
            try await raw.start(setup(handle))
            try await raw.send(#"{"realtimeInput":{"text":"Hi"}}"#)
            _ = try await raw.kinds(3)
            let update = try await raw.receive()["sessionResumptionUpdate"] as? [String: Any]
            handle = try #require(update?["newHandle"] as? String)
            await raw.socket.close(.normal)
            try await world.settle()
        }
        #expect(world.server.record.sessions.map(\.replies) == [["One"], ["Two"]])
    }

    @Test func `messages have their pace, thoughts and calls`() async throws {
        let caller = try await caller("messages")
        let request = RESTCaller.prompt(
            [["text": "Light!"]],
            ["generationConfig": ["thinkingConfig": ["includeThoughts": true]]]
        )
        let start = ContinuousClock.now
        let json = try await caller.call("generateContent", request).json()
        #expect((.seconds(3) ..< .seconds(3.2)).contains(start.duration(to: .now)))
        let call: JSONValue = [
            "functionCall": [
                "name": "switch_light", "id": "call-1",
                "args": ["room": "kitchen", "level": .real(0.5), "scenes": ["evening", "1"]],
            ]
        ]
        #expect(
            json.at("candidates.0.content.parts") == [
                ["text": "They want light.", "thought": true], ["text": "Just a moment."], call,
            ]
        )
        let turns: JSONValue = [
            "contents": [
                ["role": "user", "parts": [["text": "Light!"]]], ["role": "model", "parts": [call]],
                ["role": "user", "parts": [["functionResponse": ["name": "switch_light"]]]],
            ]
        ]
        #expect(try await caller.call("generateContent", turns).json().words == "The light is on.")
    }

    @Test func `a Live session tells what is written beside the words`() async throws {
        let text = try String(contentsOf: Self.examples.appending(path: "live.yaml"), encoding: .utf8)
        let brain = try GeminiScriptFile.brain(of: text)
        let session = try await GeminiWorld(script: GeminiScript(brain: brain)).open()
        func say(_ words: String, until end: LiveEvent) async throws -> [LiveEvent] {
            try await session.send(text: words)
            var events: [LiveEvent] = []
            while events.last != end {
                let event = try await session.nextEvent()
                switch event {
                case .usage, .resumable: break
                default: events.append(event)
                }
            }
            return events
        }
        #expect(
            try await say("Something forbidden!", until: .turnComplete)
                == [.text("I would rather not."), .generationComplete, .turnReason(.rejected), .turnComplete]
        )
        #expect(
            try await say("I went there, and", until: .turnComplete)
                == [.waitingForInput, .generationComplete, .turnComplete]
        )
        #expect(
            try await say("Think!", until: .interaction(.idle)) == [
                .interaction(.inProgress), .text("Done."), .generationComplete, .turnComplete,
                .interaction(.idle),
            ]
        )
        #expect(
            try await say("Something else", until: .turnComplete).contains(.interaction(.idle)) == false,
            "a signal belongs to one turn"
        )
    }

    @Test func `trouble comes as it is written, and only so often`() async throws {
        let caller = try await caller("trouble")
        for _ in 0..<2 {
            let answer = try await say(caller, ["text": "quota"])
            #expect(answer.status == 429)
            let error = try answer.json()["error"]
            #expect(error?["status"] == "RESOURCE_EXHAUSTED")
            #expect(error?["message"] == "Too many requests, slow down.")
            #expect(error?.at("details.0.retryDelay") == "7s")
        }
        #expect(try await words(caller, "quota") == "All is well.")
        #expect(try await say(caller, ["text": "break"]).error().status == "INTERNAL")
        let stream = try await caller.send(
            .post,
            "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            body: .bytes(RESTCaller.prompt([["text": "break"]]).json)
        )
        #expect(try stream.events().map { $0.at("error.code") } == [nil, 500])
        #expect(
            try await say(caller, ["text": "blocked"]).json().at("promptFeedback.blockReason")
                == "PROHIBITED_CONTENT"
        )
        let unsafe = try await say(caller, ["text": "unsafe"]).json()
        #expect(unsafe.words == "Once upon" && unsafe.at("candidates.0.finishReason") == "SAFETY")
    }

    @Test func `trouble comes to Live sessions too, as closes and as reasons of turns`() async throws {
        let text = try String(contentsOf: Self.examples.appending(path: "trouble.yaml"), encoding: .utf8)
        let world = try await GeminiWorld(script: GeminiScript(brain: try GeminiScriptFile.brain(of: text)))
        func say(_ words: String) async throws -> [LiveEvent] {
            let session = try await world.open()
            try await session.send(text: words)
            return try await session.eventsOfTurn()
        }
        let quota = try await say("quota").last
        #expect(quota == .closed(code: 1011, reason: "Too many requests, slow down."))
        let broken = try await say("break")
        #expect(
            broken == [.text("It begins well"), .closed(code: 1011, reason: "Internal error encountered.")]
        )
        #expect(try await say("blocked").contains(.turnReason(.prohibitedInput)))
        let unsafe = try await say("unsafe")
        #expect(unsafe.text == "Once upon" && unsafe.contains(.turnReason(.unsafeAnswer)))
        let fine = try await say("Hello")
        #expect(
            fine.text == "All is well." && !fine.contains { if case .turnReason = $0 { true } else { false } }
        )
    }

    @Test(
        arguments: [
            ("error: {code: 400}", 1007, "Request contains an invalid argument."),
            ("error: {code: 404}", 1008, "Requested entity was not found."),
            (
                "error: {code: 429}", 1011,
                "You exceeded your current quota, please check your plan and billing details."
            ),
            ("error: {code: 501}", 1008, "Operation is not implemented, or supported, or enabled."),
            ("error: {code: 503}", 1011, "The service is currently unavailable."),
            ("error: {code: 504}", 1011, "Deadline expired before operation could complete."),
            ("error: {code: 503, message: Later}", 1011, "Later"),
        ] as [(String, UInt16, String)]
    )
    func `a status closes a Live session with its code and reason`(
        error: String,
        code: UInt16,
        reason: String
    )
        async throws
    {
        let brain = try GeminiScriptFile.brain(of: "version: 1\nreplies: [{\(error)}]")
        let raw = try await GeminiWorld(script: GeminiScript(brain: brain)).raw()
        try await raw.start()
        try await raw.send(#"{"realtimeInput":{"text":"Hi"}}"#)
        let close = try await raw.close()
        #expect(close == WebSocketClose(code: code, reason: reason))
    }

    @Test(
        arguments: [
            ("{blocked: SAFETY}", "PROHIBITED_INPUT_CONTENT"), ("{blocked: BLOCKLIST}", "BLOCKLIST"),
            ("{blocked: OTHER}", "RESPONSE_REJECTED"),
            ("{messages: [A], finish: RECITATION}", "RESPONSE_REJECTED"),
            ("{messages: [A], finish: MALFORMED_FUNCTION_CALL}", "MALFORMED_FUNCTION_CALL"),
            ("{messages: [A], finish: PROHIBITED_CONTENT}", "GENERATED_CONTENT_PROHIBITED"),
            ("{messages: [A], finish: SAFETY, turnReason: NEED_MORE_INPUT}", "NEED_MORE_INPUT"),
            ("{messages: [A], finish: MAX_TOKENS}", nil),
        ] as [(String, String?)]
    )
    func `a bad end of a Live turn has a reason`(reply: String, reason: String?) async throws {
        let brain = try GeminiScriptFile.brain(of: "version: 1\nreplies: [\(reply)]")
        let raw = try await GeminiWorld(script: GeminiScript(brain: brain)).raw()
        try await raw.start()
        try await raw.send(#"{"realtimeInput":{"text":"Hi"}}"#)
        var content: [String: Any] = [:]
        while content["turnComplete"] == nil {
            content = try #require(try await raw.receive()["serverContent"] as? [String: Any])
        }
        #expect(content["turnCompleteReason"] as? String == reason)
    }

    @Test(arguments: [
        ("version: 2\nreplies: [A]", 1, "only version 1 is known"),
        ("version: 1", 1, "it lacks “replies”, or “rules”"),
        ("version: 1\nreplies: [A]\nrules: []", 3, "not both"),
        ("version: 1\nreplies: []", 2, "expected a list"),
        ("version: 1\ndelay: -1\nreplies: [A]", 2, "“delay” is 0 to 86400 seconds"),
        (
            "version: 1\nrules:\n  - when: {txt: a}\n    reply: A", 3,
            "unknown key “txt”; known are text, pattern"
        ),
        ("version: 1\nrules:\n  - when:\n      pattern: '['\n    reply: A", 4, "is no regular expression"),
        ("version: 1\nrules:\n  - times: 0\n    reply: A", 3, "“times” is a whole number"),
        ("version: 1\nrules:\n  - {reply: A, per: key}", 3, "“per” is one of server, conversation"),
        ("version: 1\nrules:\n  - when: {}", 3, "the rule lacks “reply”"),
        ("version: 1\nrules:\n  - reply:\n      finish: WRONG", 4, "“finish” is one of STOP"),
        ("version: 1\nrules:\n  - reply: {turnReason: WRONG}", 3, "“turnReason” is one of MALFORMED"),
        ("version: 1\nrules:\n  - reply: {waitsForInput: 1}", 3, "“waitsForInput” is true or false"),
        ("version: 1\nrules:\n  - reply: {error: {status: X}}", 3, "an error has a code"),
        ("version: 1\nrules:\n  - reply: {messages: [{after: 1}]}", 3, "a message has a text or a call"),
        ("version: 1\nrules:\n  - reply: {messages: [A], blocked: SAFETY}", 3, "nothing is said"),
        (
            "version: 1\nrules:\n  - reply: {finish: STOP, error: {code: 500}}", 3,
            "one of finish, blocked and error"
        ),
        (
            "version: 1\nrules:\n  - {in: paid, reply: A}\n  - {then: paid, per: conversation, reply: B}", 3,
            "no rule “per: server” leads to the state “paid”"
        ),
        ("version: 1\nreplies: [{messages: [A], citations: [{start: 0}]}]", 2, "a citation has a “uri”"),
        ("version: 1\nreplies: [{finish: STOP, citations: [{uri: a}]}]", 2, "and its reply words"),
        (
            "version: 1\nreplies: [{messages: [A], citations: [{end: 2, uri: a}]}]", 2,
            "“end” is a whole number, 1 to 1"
        ),
        ("- a", 1, "expected a mapping of version"),
    ])
    func `a mistake is named with its line`(text: String, line: Int, detail: String) {
        let error = #expect(throws: GeminiScriptError.self) { try GeminiScriptFile.brain(of: text) }
        #expect(error?.line == line && error?.detail.contains(detail) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "a: [", "version: 1\nversion: 1\nreplies: [A]", "version: 1\nreplies: [*a]"])
    func `what is no YAML is refused`(text: String) {
        #expect(throws: GeminiScriptError.self) { try GeminiScriptFile.brain(of: text) }
    }
}
