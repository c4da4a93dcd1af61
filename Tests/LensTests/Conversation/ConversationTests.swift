import AppKernel
import Foundation
import GRDB
import Lens
import TestSupport
import Testing

@Suite("Conversation")
struct ConversationTests {
    private let folder: TemporaryFolder
    private let database: AppDatabase

    init() throws {
        folder = try TemporaryFolder()
        database = try AppDatabase(path: folder.file("app.sqlite"))
    }

    private func reopened() throws -> ConversationStore {
        try ConversationStore(AppDatabase(path: folder.file("app.sqlite")))
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
        let loaded = try reopened().load()
        #expect(loaded.messages == Self.samples)
        #expect(loaded.unreadable == 0)
    }

    @Test("LENS-227 every kind of message survives encoding", arguments: samples)
    func codable(message: ChatMessage) throws {
        let data = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(ChatMessage.self, from: data) == message)
    }

    @Test("LENS-227 roles are stored as user, assistant and system")
    func roles() {
        #expect(ChatMessage.Role.allCases.map(\.rawValue) == ["user", "assistant", "system"])
    }

    @Test("LENS-153 a large picture does not make the history unloadable")
    func largeImage() throws {
        let store = try ConversationStore(database)
        let image = ChatMessage(
            role: .user,
            content: .image(Data(repeating: 7, count: 8_000_000), caption: nil)
        )
        try store.save(image)
        #expect(try reopened().load().messages == [image])
    }

    @Test("LENS-147 LENS-149 each message is in the file as soon as it was added")
    func eachSaved() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.append(ChatMessage(role: .user, content: .text("Question")))
        #expect(try reopened().load().messages.map(\.role) == [.user])
        await conversation.replyBegan()
        await conversation.replyGrew(by: "Ans")
        await conversation.replyGrew(by: "wer")
        #expect(conversation.streamingResponse.value == "Answer")
        #expect(try reopened().load().messages.count == 1)
        await conversation.replyEnded(FinishedReply(text: "Answer", ending: .complete))
        #expect(conversation.streamingResponse.value == "")
        let saved = try reopened().load().messages
        #expect(saved == conversation.messages.value)
        #expect(saved.map(\.content) == [.text("Question"), .text("Answer")])
        #expect(saved.map(\.isPartial) == [false, false])
    }

    @Test("a torn-off reply is kept and marked, a blank one is not kept")
    func partial() async throws {
        let conversation = Conversation(try ConversationStore(database))
        await conversation.replyEnded(FinishedReply(text: "I was ab", ending: .cutOff))
        await conversation.replyEnded(FinishedReply(text: " \n", ending: .complete))
        #expect(conversation.messages.value.map(\.isPartial) == [true])
    }

    @Test("LENS-151 clearing empties memory and store")
    func clear() async throws {
        let conversation = Conversation(try ConversationStore(database))
        for message in Self.samples { await conversation.append(message) }
        await conversation.clear()
        #expect(conversation.messages.value.isEmpty)
        #expect(try reopened().load().messages.isEmpty)
    }

    @Test("LENS-152 a save that fails is published, and the message stays in memory")
    func saveFails() async throws {
        let conversation = Conversation(try ConversationStore(database))
        try database.close()
        await conversation.append(ChatMessage(role: .user, content: .text("Keep me")))
        #expect(conversation.failure.value != nil)
        #expect(conversation.messages.value.map(\.content) == [.text("Keep me")])
    }

    @Test("a stored message that cannot be understood is left out, counted and kept in the file")
    func unreadable() throws {
        let store = try ConversationStore(database)
        try store.save(Self.samples[0])
        try database.write("damage a message") {
            try $0.execute(sql: "INSERT INTO chatMessage (id, body) VALUES ('x', '{not json')")
        }
        try store.save(Self.samples[1])
        let loaded = try store.load()
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
            #expect(try reopened().load().messages == [message, Self.samples[0]])
        }
        message.content = .text("none")
        try store.save(message)
        let pictures = try database.read("count") {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM chatImage")
        }
        #expect(pictures == 0)
    }
}
