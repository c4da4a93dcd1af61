import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("Chat", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ChatTests {
    private static let stop = ChatEnding.finished(.stop, [])

    /// What the database holds, read by another reader, as after a relaunch.
    private static func kept(_ fixture: AppFixture) throws -> [ChatMessage] {
        try ConversationStore(AppDatabase(path: fixture.storage.database("app.sqlite")))
            .page(before: nil, limit: 100).messages
    }

    private static func messages(_ fixture: AppFixture) -> [ChatMessage] {
        fixture.app.conversation.content.value.messages
    }

    private static func text(_ message: ChatMessage?) -> String? {
        if case .text(let text)? = message?.content { text } else { nil }
    }

    private static func idle(_ fixture: AppFixture) async {
        await fixture.app.chat.state.reaches { !$0.isAnswering }
    }

    /// Sends, and waits for the answer's end.
    private static func exchange(_ fixture: AppFixture, _ draft: ChatDraft) async throws {
        try await fixture.app.chat.send(draft)
        await idle(fixture)
    }

    @Test(
        "LENS-122 what is said is in the conversation, as the user's and in their words, before the model is asked"
    )
    func userFirst() async throws {
        let seen = Box<[[ChatMessage]]>([])
        let holder = Box<AppFixture?>(nil)
        let model = ScriptedChatModel([
            [
                .does { if let fixture = holder.value { seen.append(Self.messages(fixture)) } },
                .ends(Self.stop),
            ]
        ])
        let fixture = try AppFixture(chat: model)
        holder.set(fixture)
        try await fixture.app.say(" Hello? \n")
        #expect(Self.messages(fixture).map(\.role) == [.user])
        #expect(Self.text(Self.messages(fixture).first) == "Hello?")
        await Self.idle(fixture)
        #expect(seen.value.first?.map(\.role) == [.user])
        holder.set(nil)
    }

    @Test(
        """
        LENS-123 LENS-124 LENS-125 an answer begins empty, grows chunk by chunk, and is one whole message at its end
        """
    )
    @MainActor
    func growth() async throws {
        let gates = (0..<3).map { _ in CurrentValue(false) }
        let model = ScriptedChatModel([
            [
                .waits(gates[0]), .text("Hel"), .waits(gates[1]), .text("lo. "), .text("You"),
                .waits(gates[2]),
                .ends(Self.stop),
            ]
        ])
        let fixture = try AppFixture(chat: model)
        let screen = ChatScreen(fixture.app)
        screen.appear()
        var grown: [String] = []
        await screen.send(.say("Hello?"))
        await screen.states.reaches { $0.isStreaming && $0.messages.count == 1 }
        #expect(screen.state.streamingResponse == "" && screen.state.inputText == "")
        let content = fixture.app.conversation.content
        let watching = Task {
            for await value in content.values() {
                if grown.last != value.streamingResponse { grown.append(value.streamingResponse) }
                if value.messages.count == 2 { return }
            }
        }
        await content.reaches { _ in true }
        gates[0].set(true)
        await screen.states.reaches { $0.streamingResponse == "Hel" && $0.isStreaming }
        gates[1].set(true)
        await screen.states.reaches { $0.streamingResponse == "Hello. You" && $0.isStreaming }
        #expect(screen.state.messages.count == 1)
        gates[2].set(true)
        await screen.states.reaches { !$0.isStreaming && $0.messages.count == 2 }
        await watching.value
        #expect(grown == ["", "Hel", "Hello. ", "Hello. You", ""])
        #expect(screen.state.streamingResponse == "" && screen.state.alert == nil)
        #expect(screen.state.messages.map(\.role) == [.user, .assistant])
        #expect(screen.state.messages.map(\.text) == ["Hello?", "Hello. You"])
        #expect(screen.state.messages.allSatisfy { !$0.isPartial })
    }

    @Test(
        "LENS-126 the conversation with the new message is what the model is given, in order and nothing twice"
    )
    func history() async throws {
        let model = ScriptedChatModel(texts: "One", "Two", "Three")
        let fixture = try AppFixture(chat: model)
        for question in ["A", "B", "A"] { try await Self.exchange(fixture, ChatDraft(question)) }
        #expect(
            model.requests.map(\.contents) == [
                [.user("A")], [.user("A"), .model("One"), .user("B")],
                [.user("A"), .model("One"), .user("B"), .model("Two"), .user("A")],
            ]
        )
    }

    @Test(
        "LENS-128 an answer that comes whole is waited for all the time until it is added, or has failed",
        arguments: [true, false]
    )
    @MainActor
    func whole(isAnswered: Bool) async throws {
        let gate = CurrentValue(false)
        let end: [ScriptedChatModel.Step] =
            isAnswered
            ? [.text("Who"), .text("le"), .ends(Self.stop)]
            : [.fails(ScriptedChatModel.error(.unavailable))]
        let fixture = try AppFixture(chat: ScriptedChatModel([[.waits(gate)] + end])) {
            $0.chat.streams = false
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        let states = screen.states.values()
        await screen.send(.say("Hello?"))
        await screen.states.reaches { $0.isLoading && $0.messages.count == 1 }
        gate.set(true)
        var seen: [ChatScreen.State] = []
        for await state in states {
            seen.append(state)
            if !state.isLoading, isAnswered ? state.messages.count == 2 : state.alert != nil { break }
        }
        let waiting = seen.dropLast().drop { $0.messages.isEmpty }
        #expect(!waiting.isEmpty && waiting.allSatisfy(\.isLoading))
        #expect(seen.allSatisfy { $0.streamingResponse == "" || $0.streamingResponse == "Whole" })
        #expect(seen.last?.messages.map(\.text) == (isAnswered ? ["Hello?", "Whole"] : ["Hello?"]))
        #expect(seen.last?.messages.map(\.role) == (isAnswered ? [.user, .assistant] : [.user]))
        #expect((seen.last?.alert == nil) == isAnswered)
    }

    @Test(
        """
        LENS-129 an answer that fails is reported, what was said stays, and nothing is an answer but what came, marked
        """,
        arguments: [nil, [], ["Half an ", "answ"], ["  \n"]] as [[String]?],
        [true, false]
    )
    @MainActor
    func failure(chunks: [String]?, comesInPieces: Bool) async throws {
        // Without a script the request itself fails.
        let answers = chunks.map { chunks -> [[ScriptedChatModel.Step]] in
            [chunks.map { .text($0) } + [.fails(ScriptedChatModel.error(.interrupted))]]
        }
        let fixture = try AppFixture(chat: ScriptedChatModel(answers ?? [])) {
            $0.chat.streams = comesInPieces
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await screen.send(.say("Hello?"))
        await screen.states.reaches { $0.alert != nil && !$0.isStreaming }
        #expect(!screen.state.isLoading && screen.state.streamingResponse == "")
        let code: ChatModelError.Code = chunks == nil ? .unreachable : .interrupted
        #expect(fixture.app.chat.state.value.failure == .model(ScriptedChatModel.error(code)))
        #expect(
            screen.state.alert?.title == "The assistant did not answer"
                && screen.state.alert?.offersRetry == true
        )
        let text = (chunks ?? []).joined()
        let isKept = comesInPieces && !text.allSatisfy(\.isWhitespace)
        #expect(screen.state.messages.map(\.text) == ["Hello?"] + (isKept ? [text] : []))
        #expect(screen.state.messages.map(\.role) == [.user] + (isKept ? [.assistant] : []))
        #expect(screen.state.messages.map(\.isPartial) == [false] + (isKept ? [true] : []))
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
    }

    @Test("LENS-130 nothing but white space is not sent, and a picture alone is")
    @MainActor
    func blank() async throws {
        let model = ScriptedChatModel(texts: "A picture")
        let fixture = try AppFixture(chat: model)
        let screen = ChatScreen(fixture.app)
        for text in ["", " ", "\n\t "] {
            await screen.send(.setInput(text))
            await screen.send(.sendMessage)
        }
        for text in ["", " ", "\n\t "] { try await fixture.app.chat.send(ChatDraft(text)) }
        #expect(Self.messages(fixture).isEmpty && model.requests.isEmpty)
        try await Self.exchange(fixture, ChatDraft(" ", picture: [0xFF, 0xD8, 1]))
        #expect(Self.messages(fixture).map(\.content).first == .image(Data(), caption: nil))
        #expect(
            model.requests.first?.contents == [
                ChatContent(.user, [.inline(mediaType: "image/jpeg", [0xFF, 0xD8, 1])])
            ]
        )
    }

    @Test("LENS-132 while an answer is given another message is refused, and its own goes on untouched")
    func second() async throws {
        let gate = CurrentValue(false)
        let model = ScriptedChatModel([[.text("One "), .waits(gate), .text("answer"), .ends(Self.stop)]])
        let fixture = try AppFixture(chat: model)
        try await fixture.app.chat.send(ChatDraft("First"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "One " }
        await #expect(throws: ChatFailure.busy) { try await fixture.app.chat.send(ChatDraft("Second")) }
        await #expect(throws: ChatFailure.busy) { try await fixture.app.chat.retry() }
        gate.set(true)
        await Self.idle(fixture)
        #expect(Self.messages(fixture).map { Self.text($0) } == ["First", "One answer"])
        #expect(model.requests.count == 1)
    }

    @Test("LENS-133 an answer that is stopped, or whose app is gone, adds nothing later and ends its request")
    func stopped() async throws {
        let gate = CurrentValue(false)
        let never: [ScriptedChatModel.Step] = [
            .text("Begun"), .waits(gate), .text(" and late"), .ends(Self.stop),
        ]
        let model = ScriptedChatModel([never, never])
        let fixture = try AppFixture(chat: model)
        try await fixture.app.chat.send(ChatDraft("Hello?"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "Begun" }
        await fixture.app.chat.stop()
        let after = fixture.app.conversation.content.value
        #expect(after.messages.map { Self.text($0) } == ["Hello?", "Begun"] && after.streamingResponse == "")
        #expect(after.messages.last?.isPartial == true && fixture.app.chat.state.value == Chat.State())
        #expect(model.cancellations.value == 1)
        gate.set(true)
        await fixture.app.shutdown()
        #expect(fixture.app.conversation.content.value == after)

        gate.set(false)
        let released = Box<AppFixture?>(try AppFixture(chat: model))
        let conversation = try #require(released.value?.app.conversation)
        try await released.value?.app.chat.send(ChatDraft("Hello?"))
        await conversation.content.reaches { $0.streamingResponse == "Begun" }
        released.set(nil)
        await model.cancellations.reaches { $0 == 2 }
        await conversation.content.reaches { $0.streamingResponse == "" }
        gate.set(true)
        for _ in 0..<100 { await Task.yield() }
        #expect(conversation.content.value.messages.map { Self.text($0) } == ["Hello?", "Begun"])
        #expect(conversation.content.value.messages.last?.isPartial == true)
    }

    @Test(
        "LENS-147 an exchange is saved twice: what was said before the model is asked, and the answer at its end"
    )
    func saves() async throws {
        let (holder, seen) = (Box<AppFixture?>(nil), Box<[[ChatMessage.Role]]>([]))
        let look = ScriptedChatModel.Step.does {
            guard let fixture = holder.value else { return }
            seen.append((try? Self.kept(fixture).map(\.role)) ?? [])
        }
        let model = ScriptedChatModel([[look, .text("Ans"), look, .text("wer"), look, .ends(Self.stop)]])
        let fixture = try AppFixture(chat: model)
        holder.set(fixture)
        try fixture.noteSaves()
        try await Self.exchange(fixture, ChatDraft("Look", picture: [0xFF, 0xD8, 7]))
        #expect(seen.value == [[.user], [.user], [.user]])
        #expect(try fixture.saves() == ["user", "assistant"])
        #expect(try Self.kept(fixture).map(\.role) == [.user, .assistant])
        #expect(Self.text(try Self.kept(fixture).last) == "Answer")
        #expect(fixture.app.conversation.content.value.streamingResponse == "")
        holder.set(nil)
    }

    @Test(
        "LENS-149 after a kill in the middle of an answer what was said is there without a reply, and can be answered"
    )
    func kill() async throws {
        let gate = CurrentValue(false)
        let fixture = try AppFixture(chat: ScriptedChatModel([[.text("Begun"), .waits(gate)]]))
        try await fixture.app.chat.send(ChatDraft("Hello?"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "Begun" }
        // Nothing of the process that is killed runs on: another one reads what it left.
        let model = ScriptedChatModel(texts: "Here I am.")
        let next = try AppFixture(storage: fixture.storage, chat: model)
        _ = await next.app.launch()
        #expect(Self.messages(next).map { Self.text($0) } == ["Hello?"])
        try await next.app.chat.retry()
        await Self.idle(next)
        #expect(Self.messages(next).map { Self.text($0) } == ["Hello?", "Here I am."])
        #expect(model.requests.map(\.contents) == [[.user("Hello?")]])
        await next.app.shutdown()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-146 a message whose answer failed stays, and is asked again without being doubled, as is what came of its answer",
        arguments: [nil, [0xFF, 0xD8, 7]] as [[UInt8]?]
    )
    @MainActor
    func retry(picture: [UInt8]?) async throws {
        let model = ScriptedChatModel([
            [.fails(ScriptedChatModel.error(.unreachable))],
            [.text("Half"), .fails(ScriptedChatModel.error(.interrupted))],
            [.text("Whole"), .ends(Self.stop)],
        ])
        let fixture = try AppFixture(chat: model)
        let screen = ChatScreen(fixture.app)
        screen.appear()
        try await fixture.app.chat.send(ChatDraft("Hello?", picture: picture))
        await screen.states.reaches { $0.alert != nil && !$0.isStreaming }
        #expect(screen.state.messages.map(\.text) == ["Hello?"])
        #expect(try Self.kept(fixture) == Self.messages(fixture))
        let question = Self.messages(fixture).first?.id
        await screen.send(.retry)
        await screen.states.reaches { $0.messages.count == 2 && !$0.isStreaming && $0.alert != nil }
        #expect(screen.state.messages.map(\.text) == ["Hello?", "Half"])
        await screen.send(.retry)
        await screen.states.reaches { $0.messages.last?.text == "Whole" && !$0.isStreaming }
        #expect(screen.state.messages.map(\.text) == ["Hello?", "Whole"] && screen.state.alert == nil)
        #expect(screen.state.messages.map(\.isPartial) == [false, false])
        #expect(try Self.kept(fixture) == Self.messages(fixture))
        #expect(Self.messages(fixture).first?.id == question)
        var parts: [ChatPart] = [.text("Hello?")]
        if let picture { parts.append(.inline(mediaType: "image/jpeg", picture)) }
        #expect(model.requests.allSatisfy { $0.contents == [ChatContent(.user, parts)] })
        await screen.send(.retry)
        #expect(model.requests.count == 3)
    }

    @Test(
        "LENS-120 what is answered is spoken sentence by sentence, each once, where speech is on, and nothing where it is off"
    )
    func speech() async throws {
        for isOn in [true, false] {
            let session = ScriptedSession()
            let model = ScriptedChatModel([
                [.text("One. Tw"), .text("o! "), .text("Three"), .ends(Self.stop)]
            ])
            let fixture = try AppFixture(sessions: [session], chat: model)
            await fixture.app.settings.change { $0.speechEnabled = isOn }
            try await Self.exchange(fixture, ChatDraft("Hello?"))
            await fixture.app.voice.isSpeaking.reaches { !$0 }
            #expect(fixture.synthesizer.utterances.map(\.text) == (isOn ? ["One.", "Two!", "Three"] : []))
            try await fixture.app.startStreaming()
            session.say(.text("I see. "), .text("Red"), .turnComplete)
            await fixture.app.conversation.content.reaches { $0.messages.count == 3 }
            await fixture.app.voice.isSpeaking.reaches { !$0 }
            if isOn { #expect(fixture.synthesizer.utterances.map(\.text).suffix(2) == ["I see.", "Red"]) }
            #expect(fixture.synthesizer.utterances.count == (isOn ? 5 : 0))
            #expect(
                Self.messages(fixture).map { Self.text($0) } == ["Hello?", "One. Two! Three", "I see. Red"]
            )
            await fixture.app.shutdown()
        }
    }

    @Test func `a conversation that is cleared while an answer is given has nothing of it later`()
        async throws
    {
        let gate = CurrentValue(false)
        let model = ScriptedChatModel([[.text("Begun"), .waits(gate), .ends(Self.stop)]])
        let fixture = try AppFixture(chat: model)
        try await fixture.app.chat.send(ChatDraft("Hello?"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "Begun" }
        // By the service below, which does not know of the chat.
        await fixture.app.conversation.clear()
        gate.set(true)
        await Self.idle(fixture)
        #expect(
            Self.messages(fixture).isEmpty && fixture.app.conversation.content.value.streamingResponse == ""
        )
        #expect(try Self.kept(fixture).isEmpty)
    }

    @Test func `a stream that is started ends the answer, and what is said then goes to its session`()
        async throws
    {
        let gate = CurrentValue(false)
        let session = ScriptedSession()
        let model = ScriptedChatModel([[.text("Begun"), .waits(gate), .ends(Self.stop)]])
        let fixture = try AppFixture(sessions: [session], chat: model)
        try await fixture.app.say("First")
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "Begun" }
        try await fixture.app.startStreaming()
        #expect(Self.messages(fixture).map { Self.text($0) } == ["First", "Begun"])
        try await fixture.app.say("Second")
        #expect(session.texts.contains("Second") && model.requests.count == 1)
        #expect(Self.messages(fixture).map { Self.text($0) } == ["First", "Begun", "Second"])
        #expect(try Self.kept(fixture).map(\.role) == [.user, .assistant, .user])
        await fixture.app.shutdown()
    }

    @Test(
        "an answer that the model itself ends is reported as what it is, and kept as far as it came",
        arguments: [
            (.blocked(.safety, []), nil, .blocked(.safety)),
            (.finished(.safety, []), "We", .stopped(.safety)),
            (.finished(.tokenLimit, []), "We", nil), (.finished(.stop, []), nil, .silent),
        ] as [(ChatEnding, String?, ChatFailure?)]
    )
    func endings(ending: ChatEnding, text: String?, failure: ChatFailure?) async throws {
        let fixture = try AppFixture(
            chat: ScriptedChatModel([(text.map { [.text($0)] } ?? []) + [.ends(ending)]])
        )
        try await Self.exchange(fixture, ChatDraft("Hello?"))
        #expect(fixture.app.chat.state.value.failure == failure)
        #expect(Self.messages(fixture).dropFirst().map { Self.text($0) } == (text.map { [$0] } ?? []))
        #expect(Self.messages(fixture).dropFirst().allSatisfy { $0.isPartial })
    }

    @Test func `what is sent of a long conversation is bounded, the newest, and takes turns`() async throws {
        let model = ScriptedChatModel(texts: "ok")
        let fixture = try AppFixture(chat: model) {
            ($0.chat.historyBytes, $0.chat.historyPictures) = (25, 1)
        }
        let conversation = fixture.app.conversation
        await conversation.append(ChatMessage(role: .user, content: .text("long ago")))
        await conversation.append(ChatMessage(role: .assistant, content: .text("0123456789")))
        await conversation.append(ChatMessage(role: .system, content: .text("a note")))
        await conversation.append(ChatMessage(role: .user, content: .image(Data([1]), caption: "old")))
        await conversation.append(ChatMessage(role: .user, content: .image(Data([2]), caption: nil)))
        await conversation.append(ChatMessage(role: .assistant, content: .text("seen"), isPartial: true))
        await conversation.append(ChatMessage(role: .user, content: .image(Data([3]), caption: nil)))
        await conversation.append(ChatMessage(role: .user, content: .text("unanswered")))
        try await Self.exchange(fixture, ChatDraft(String(repeating: "x", count: 100)))
        #expect(
            model.requests.first?.contents == [
                ChatContent(.user, [.text("old"), .text("(A picture that is not shown again.)")]),
                .model("seen"),
                ChatContent(
                    .user,
                    [
                        .inline(mediaType: "image/jpeg", [3]), .text("unanswered"),
                        .text(String(repeating: "x", count: 100)),
                    ]
                ),
            ]
        )
    }
}
