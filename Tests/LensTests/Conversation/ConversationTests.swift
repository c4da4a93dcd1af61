import AppKernel
import Concurrency
import Foundation
import GRDB
import Lens
import SimulationTesting
import TestSupport
import Testing

@Suite("Conversation", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ConversationTests {
    private let storage: AppStorage
    private let database: AppDatabase

    init() throws {
        storage = try AppStorage()
        database = try AppDatabase(path: storage.database("app.sqlite"))
    }

    private func reopened() throws -> ConversationStore {
        try ConversationStore(AppDatabase(path: storage.database("app.sqlite")))
    }

    private static let samples: [ChatMessage] = [
        ChatMessage(role: .user, content: .text("What is it?\n\"é\" 你")),
        ChatMessage(role: .assistant, content: .text(""), timestamp: Date(timeIntervalSince1970: 0.1234567)),
        ChatMessage(role: .system, content: .text("note"), isPartial: true),
        ChatMessage(role: .user, content: .image(Data([0xFF, 0xD8, 0, 1]), caption: "Look")),
        ChatMessage(role: .user, content: .image(Data(), caption: nil)),
        ChatMessage(role: .user, content: .video(URL(filePath: "/tmp/video_1.mov"), caption: "Clip")),
        ChatMessage(role: .user, content: .video(URL(filePath: "/tmp/video_2.mov"), caption: nil)),
    ]

    @Test("LENS-148 LENS-150 what was saved is loaded the same, in the same order, after a relaunch")
    func roundTrip() throws {
        let store = try ConversationStore(database)
        for message in Self.samples { try store.save(message) }
        let loaded = try reopened().page(before: nil, limit: 100)
        #expect(loaded.messages.map(\.id) == Self.samples.map(\.id))
        #expect(try reopened().whole(loaded.messages) == Self.samples)
        #expect(loaded.unreadable == 0 && !loaded.hasEarlier)
    }

    @Test("LENS-227 every kind of message, of user, assistant and system, survives encoding")
    func codable() throws {
        #expect(ChatMessage.Role.allCases.map(\.rawValue) == ["user", "assistant", "system"])
        for sample in Self.samples {
            for role in ChatMessage.Role.allCases {
                var message = sample
                message.role = role
                let data = try JSONEncoder().encode(message)
                let decoded = try JSONDecoder().decode(ChatMessage.self, from: data)
                #expect(decoded == message)
                #expect(decoded.id == sample.id && decoded.timestamp == sample.timestamp)
                let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                #expect(json?["role"] as? String == role.rawValue)
            }
        }
    }

    @Test("LENS-153 a large picture does not make the history unloadable")
    func largeImage() throws {
        let store = try ConversationStore(database)
        let image = ChatMessage(
            role: .user,
            content: .image(Data(repeating: 7, count: 8_000_000), caption: nil)
        )
        try store.save(image)
        let loaded = try reopened().page(before: nil, limit: 100).messages
        // The list does not carry it.
        #expect(loaded.map(\.content) == [.image(Data(), caption: nil)])
        #expect(try reopened().whole(loaded) == [image])
    }

    @Test("each message is in the file as soon as it was added")
    func eachSaved() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.append(ChatMessage(role: .user, content: .text("Question")))
        #expect(try reopened().page(before: nil, limit: 100).messages.map(\.role) == [.user])
        await conversation.replyBegan()
        await conversation.replyGrew(by: "Ans")
        await conversation.replyGrew(by: "wer")
        #expect(conversation.content.value.streamingResponse == "Answer")
        #expect(try reopened().page(before: nil, limit: 100).messages.count == 1)
        await conversation.replyEnded(FinishedReply(text: "Answer", ending: .complete))
        #expect(conversation.content.value.streamingResponse == "")
        let saved = try reopened().page(before: nil, limit: 100).messages
        #expect(saved == conversation.content.value.messages)
        #expect(saved.map(\.content) == [.text("Question"), .text("Answer")])
        #expect(saved.map(\.isPartial) == [false, false])
    }

    @Test
    func `words of the user stand behind the reply that they interrupt, which takes in what was on its way`()
        async throws
    {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.replyBegan()
        await conversation.replyGrew(by: "I see ")
        await conversation.append(ChatMessage(role: .user, content: .text("Stop")))
        #expect(conversation.content.value.streamingResponse == "")
        // Killed here, both are there.
        let killed = try reopened().page(before: nil, limit: 100).messages
        #expect(killed.map(\.content) == [.text("I see "), .text("Stop")])
        #expect(killed.map(\.isPartial) == [true, false])
        await conversation.replyGrew(by: "a cup.")
        #expect(conversation.content.value.streamingResponse == "")
        await conversation.replyEnded(FinishedReply(text: "I see a cup.", ending: .interrupted))
        await conversation.replyBegan()
        await conversation.replyGrew(by: "Good")
        #expect(conversation.content.value.streamingResponse == "Good")
        await conversation.replyEnded(FinishedReply(text: "Good", ending: .complete))
        let messages = conversation.content.value.messages
        #expect(messages.map(\.content) == [.text("I see a cup."), .text("Stop"), .text("Good")])
        #expect(messages.map(\.isPartial) == [true, false, false])
        #expect(try reopened().page(before: nil, limit: 100).messages == messages)
    }

    @Test func `a reply that was interrupted and cleared does not come back`() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.replyBegan()
        await conversation.replyGrew(by: "I see ")
        await conversation.append(ChatMessage(role: .user, content: .text("Stop")))
        await conversation.clear()
        await conversation.replyEnded(FinishedReply(text: "I see a cup.", ending: .interrupted))
        #expect(conversation.content.value.messages == [])
        #expect(try reopened().page(before: nil, limit: 100).messages == [])
    }

    @Test func `a message that is taken back is gone from memory and file`() async throws {
        let conversation = Conversation(try ConversationStore(database))
        let kept = ChatMessage(role: .user, content: .text("A"))
        let withdrawn = ChatMessage(role: .user, content: .text("B"))
        await conversation.append(kept)
        await conversation.append(withdrawn)
        await conversation.withdraw(withdrawn.id)
        await conversation.withdraw(UUID())
        #expect(conversation.content.value.messages == [kept])
        #expect(try reopened().page(before: nil, limit: 100).messages == [kept])
    }

    @Test("a torn-off reply is kept and marked, a blank one is not kept")
    func partial() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.replyEnded(FinishedReply(text: "I was ab", ending: .cutOff))
        await conversation.replyEnded(FinishedReply(text: " \n", ending: .complete))
        #expect(conversation.content.value.messages.map(\.isPartial) == [true])
    }

    @Test("LENS-151 clearing empties memory and store")
    func clear() async throws {
        let conversation = Conversation(try ConversationStore(database))
        for message in Self.samples { await conversation.append(message) }
        let video = ChatMessage(
            role: .user,
            content: .video(URL(filePath: "/tmp/clip.mov"), caption: nil)
        )
        await conversation.append(
            video,
            pictures: [0, 1].map { ChatMessage.Picture(Data([$0]), at: .milliseconds(Int($0))) }
        )
        let tables = ["chatMessage", "chatImage", "chatVideo", "chatVideoPicture"]
        func rows() throws -> [Int] {
            try database.read("count") { database in
                try tables.map { try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? -1 }
            }
        }
        #expect(try rows().allSatisfy { $0 > 0 })
        await conversation.clear()
        #expect(conversation.content.value.messages.isEmpty)
        #expect(try reopened().page(before: nil, limit: 100).messages.isEmpty)
        #expect(try rows() == [0, 0, 0, 0])
    }

    @Test
    func
        `a message that is taken back is gone from memory although the database fails, and from there later`()
        async throws
    {
        let conversation = Conversation(try ConversationStore(database))
        let unsaid = ChatMessage(role: .user, content: .text("Not said"))
        await conversation.append(unsaid)
        try database.write("refuse") {
            try $0.execute(
                sql: """
                    CREATE TRIGGER locked BEFORE DELETE ON chatMessage BEGIN SELECT RAISE(ABORT, 'no'); END
                    """
            )
        }
        await conversation.withdraw(unsaid.id)
        #expect(conversation.content.value.messages.isEmpty && conversation.content.value.failure != nil)
        #expect(try reopened().page(before: nil, limit: 100).messages.count == 1)
        try database.write("allow") { try $0.execute(sql: "DROP TRIGGER locked") }
        let next = ChatMessage(role: .user, content: .text("Said"))
        await conversation.append(next)
        #expect(conversation.content.value.messages.map(\.id) == [next.id])
        #expect(conversation.content.value.failure == nil)
        #expect(try reopened().page(before: nil, limit: 100).messages.map(\.id) == [next.id])
    }

    @Test("LENS-152 a save that fails is published, and the messages stay in memory")
    func saveFails() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.append(ChatMessage(role: .user, content: .text("Saved")))
        #expect(conversation.content.value.failure == nil)
        try database.close()
        await conversation.append(ChatMessage(role: .user, content: .text("Keep me")))
        #expect(conversation.content.value.failure != nil)
        await conversation.replyBegan()
        await conversation.replyEnded(FinishedReply(text: "Me too", ending: .complete))
        #expect(conversation.content.value.failure != nil)
        #expect(
            conversation.content.value.messages.map(\.content)
                == [.text("Saved"), .text("Keep me"), .text("Me too")]
        )
    }

    @Test("a stored message that cannot be understood is left out, counted and kept in the file")
    func unreadable() throws {
        let store = try ConversationStore(database)
        try store.save(Self.samples[0])
        try database.write("damage a message") {
            try $0.execute(sql: "INSERT INTO chatMessage (id, body) VALUES ('x', '{not json')")
        }
        try store.save(Self.samples[1])
        let loaded = try store.page(before: nil, limit: 100)
        #expect(loaded.messages == Array(Self.samples[0...1]))
        #expect(loaded.unreadable == 1)
    }

    @Test func `a message that is saved again takes the place of the old one, with its picture`() throws {
        let store = try ConversationStore(database)
        var message = ChatMessage(role: .user, content: .image(Data([1, 2]), caption: "One"))
        try store.save(message)
        try store.save(Self.samples[0])
        for content in [
            ChatMessage.Content.image(Data([1, 2]), caption: "One"), .image(Data([3]), caption: nil),
            .text("none"), .image(Data([4, 5, 6]), caption: "Four"),
        ] {
            message.content = content
            try store.save(message)
            let loaded = try reopened().page(before: nil, limit: 100).messages
            #expect(try reopened().whole(loaded) == [message, Self.samples[0]])
        }
        message.content = .text("none")
        try store.save(message)
        let pictures = try database.read("count") {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM chatImage")
        }
        #expect(pictures == 0)
    }

    @Test func `a long history is in memory by its newest messages alone, and the rest is there by pages`()
        async throws
    {
        let store = try ConversationStore(database)
        let count = Conversation.window * 2 + 10
        let texts = (0..<count).map { "message \($0)" }
        for text in texts { try store.save(ChatMessage(role: .assistant, content: .text(text))) }
        let conversation = Conversation(store)
        #expect(await conversation.restore() == 0)
        func text(_ message: ChatMessage) -> String {
            if case .text(let text) = message.content { text } else { "" }
        }
        var content = conversation.content.value
        #expect(content.messages.map(text) == texts.suffix(Conversation.window) && content.hasEarlier)

        await conversation.append(ChatMessage(role: .user, content: .text("new")))
        content = conversation.content.value
        #expect(content.messages.map(text) == texts.suffix(Conversation.window - 1) + ["new"])

        let middle = try conversation.page(before: content.messages[0].id)
        #expect(middle.messages.count == Conversation.window && middle.hasEarlier)
        let first = try conversation.page(before: middle.messages[0].id)
        #expect(!first.hasEarlier)
        #expect((first.messages + middle.messages + content.messages).map(text) == texts + ["new"])
        #expect(try conversation.page(before: UUID()).messages.isEmpty)
    }

    @Test func `a message that could not be saved is saved before the next one`() async throws {
        let conversation = Conversation(try ConversationStore(database))
        try database.write("refuse") {
            try $0.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON chatMessage BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        await conversation.append(ChatMessage(role: .user, content: .text("one")))
        #expect(conversation.content.value.failure != nil)
        try database.write("allow") { try $0.execute(sql: "DROP TRIGGER full") }
        await conversation.append(ChatMessage(role: .user, content: .text("two")))
        #expect(conversation.content.value.failure == nil)
        let saved = try reopened().page(before: nil, limit: 100).messages
        #expect(saved.map(\.content) == [.text("one"), .text("two")])
    }

    @Test func `a reply is growing or a message, and never both or neither`() async throws {
        let conversation = Conversation(try ConversationStore(database))
        let seen = Task { () -> [(String, Int)] in
            var seen: [(String, Int)] = []
            for await content in conversation.content.values() {
                seen.append((content.streamingResponse, content.messages.count))
                if content.messages.count == 1 { break }
            }
            return seen
        }
        while conversation.content.value.streamingResponse != "Hello" {
            await conversation.replyBegan()
            await conversation.replyGrew(by: "Hello")
        }
        await conversation.replyEnded(FinishedReply(text: "Hello", ending: .complete))
        let steps = await seen.value
        #expect(steps.last?.0 == "" && steps.last?.1 == 1)
        // The step before showed it as growing: nothing is between.
        #expect(steps.count == 1 || steps.dropLast().last?.0 == "Hello")
    }
}

extension ConversationStore {
    /// The messages with the bytes of their pictures.
    fileprivate func whole(_ messages: [ChatMessage]) throws -> [ChatMessage] {
        try messages.map { message in
            guard case .image(_, let caption) = message.content else { return message }
            var message = message
            message.content = .image(try picture(of: message.id) ?? Data(), caption: caption)
            return message
        }
    }
}
