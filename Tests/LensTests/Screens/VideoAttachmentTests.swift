import AppKernel
import Concurrency
import Files
import Foundation
import JPEG
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Videos that go with a message", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct VideoAttachmentTests {
    private static func fixture(
        _ model: ScriptedChatModel = ScriptedChatModel(texts: "One.", "Two."),
        storage: AppStorage? = nil,
        sessions: [ScriptedSession] = [],
        policy: ChatPolicy = ChatPolicy()
    ) async throws -> (AppFixture, ChatScreen) {
        let (encoder, photo) = (try JPEGFrameEncoder(), try Clip.jpeg(0))
        let fixture = try AppFixture(storage: storage, sessions: sessions, chat: model) {
            ($0.chatPictures, $0.photoEncoder, $0.chat) = (encoder, FixedPicture(file: photo), policy)
        }
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        return (fixture, screen)
    }

    private static func answered(_ fixture: AppFixture) async {
        await fixture.app.chat.state.reaches { $0.phase == .idle }
    }

    private static func numbers(_ parts: [ChatPart]) throws -> [Int] {
        try parts.compactMap { part in
            if case .inline("image/jpeg", let jpeg) = part { try Clip.number(jpeg) } else { nil }
        }
    }

    @Test(
        "LENS-135 the menu offers the photos and videos of the gallery, what is chosen is attached, and can be taken off before it is sent"
    )
    func menu() async throws {
        let model = ScriptedChatModel(texts: "One.")
        let (fixture, screen) = try await Self.fixture(model)
        try await fixture.app.camera.connect()
        let photo = try await fixture.app.capturePhoto().id
        let video = try await fixture.addVideo(Clip.movie(3))
        #expect(screen.state.attachmentMenu == nil && screen.state.attachment == nil)
        for (id, kind) in [(photo, MediaItem.Kind.photo), (video, .video)] {
            await screen.send(.openAttachmentMenu)
            let menu = try #require(screen.state.attachmentMenu)
            #expect(menu.photos.map(\.id) == [photo] && menu.videos.map(\.id) == [video])
            await screen.send(kind == .photo ? .attachPhoto(id) : .attachVideo(id))
            let attachment = try #require(screen.state.attachment)
            #expect(attachment.id == id && attachment.kind == kind && !attachment.isFile)
            #expect(screen.state.attachmentMenu == nil && screen.state.alert == nil)
            #expect(model.requests.isEmpty && screen.state.messages.isEmpty, "it waits for the message")
            await screen.send(.removeAttachment)
            #expect(screen.state.attachment == nil)
        }
        let movie = try Clip.movie(3)
        #expect(await screen.attachVideo(Clip.pieces(movie)) == nil)
        let file = try #require(screen.state.attachment)
        #expect(file.kind == .video && file.isFile && fixture.clips == [ChatClips.fileName(of: file.id)])
        await screen.send(.removeAttachment)
        #expect(screen.state.attachment == nil && fixture.clips.isEmpty, "nobody needs the file any more")
        await screen.send(.say("Only words"))
        await Self.answered(fixture)
        #expect(model.requests.map(\.contents) == [[ChatContent(.user, [.text("Only words")])]])
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-137 a message with a video is in the conversation and the database, address and caption, before the service is called",
        arguments: [true, false],
        ["What happens?", nil]
    )
    func saved(isFile: Bool, caption: String?) async throws {
        let (holder, seen) = (Box<AppFixture?>(nil), Box<[ChatMessage.Content]>([]))
        let look = ScriptedChatModel.Step.does {
            guard let fixture = holder.value,
                let shown = fixture.app.conversation.content.value.messages.last,
                let store = try? ConversationStore(AppDatabase(path: fixture.storage.database("app.sqlite"))),
                (try? store.page(before: nil, limit: 9).messages.last) == shown,
                (try? store.pictures(of: shown.id).map { try Clip.number($0.jpeg) }) == [0, 1, 2]
            else { return }
            seen.append(shown.content)
        }
        let model = ScriptedChatModel([[look, .text("Grey."), .ends(.finished(.stop, []))]])
        let (fixture, screen) = try await Self.fixture(model)
        holder.set(fixture)
        let name: String
        if isFile {
            await screen.attachVideo(Clip.pieces(try Clip.movie(3)))
            name = ChatClips.fileName(of: try #require(screen.state.attachment?.id))
        } else {
            let video = try await fixture.addVideo(Clip.movie(3))
            await screen.send(.attachVideo(video))
            name = MediaLibrary.fileName(of: video, kind: .video)
        }
        await screen.send(.say(caption.map { " \($0) " } ?? " \n"))
        await Self.answered(fixture)
        await screen.states.reaches { $0.messages.count == 2 }
        let url = URL(filePath: "\(fixture.documents.path)/\(name)")
        #expect(seen.value == [.video(url, caption: caption)])
        #expect(fixture.documents.contains(name))
        let message = try #require(screen.state.messages.first)
        #expect(message.hasVideo && message.hasPicture && message.text == caption ?? "")
        #expect(screen.state.attachment == nil && screen.state.inputText.isEmpty)
        holder.set(nil)
        await fixture.app.shutdown()
    }

    @Test(
        "of a video the assistant gets pictures that are spread evenly over it, few or all",
        arguments: [
            (1, [0]), (3, [0, 1, 2]), (4, [0, 1, 2, 3]), (16, [2, 6, 10, 14]), (40, [5, 15, 25, 35]),
        ]
    )
    func sampled(count: Int, expected: [Int]) async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let (fixture, screen) = try await Self.fixture(model, policy: ChatPolicy(videoPictures: 4))
        await screen.attachVideo(Clip.pieces(try Clip.movie(count)))
        await screen.send(.say("What happens?"))
        await Self.answered(fixture)
        let parts = try #require(model.requests.first?.contents.last?.parts)
        #expect(try Self.numbers(parts) == expected)
        let times = expected.map { "\($0 / 4).\([0, 3, 5, 8][$0 % 4])" }.joined(separator: ", ")
        #expect(
            parts.prefix(2) == [
                .text("What happens?"),
                .text("(A video. Its pictures, in order, are seen at these seconds: \(times).)"),
            ]
        )
        #expect(parts.count == expected.count + 2)
        await fixture.app.shutdown()
    }

    @Test
    func `an earlier video is sent again as far as the budget of pictures goes, and then its words alone`()
        async throws
    {
        let model = ScriptedChatModel(texts: "One.", "Two.", "Three.", "Four.")
        let policy = ChatPolicy(historyPictures: 6, videoPictures: 4)
        let (fixture, screen) = try await Self.fixture(model, policy: policy)
        for (count, caption) in [(16, "First"), (4, ""), (4, "Third")] {
            await screen.attachVideo(Clip.pieces(try Clip.movie(count)))
            await screen.send(.say(caption))
            await Self.answered(fixture)
        }
        await screen.send(.say("And now?"))
        await Self.answered(fixture)
        func numbers(_ request: Int) throws -> [[Int]] {
            try model.requests[request].contents.filter { $0.role == .user }.map {
                try Self.numbers($0.parts)
            }
        }
        #expect(try numbers(0) == [[2, 6, 10, 14]])
        #expect(try numbers(1) == [[6, 14], [0, 1, 2, 3]], "two of the first are left, spread over it")
        #expect(try numbers(2) == [[], [1, 3], [0, 1, 2, 3]])
        #expect(try numbers(3) == [[], [1, 3], [0, 1, 2, 3], []])
        let first = model.requests[3].contents[0].parts
        #expect(first == [.text("First")])
        await fixture.app.shutdown()
    }

    @Test func `a video without words that is not sent again is named`() async throws {
        let model = ScriptedChatModel(texts: "One.", "Two.")
        let policy = ChatPolicy(historyPictures: 0, videoPictures: 4)
        let (fixture, screen) = try await Self.fixture(model, policy: policy)
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        await screen.send(.sendMessage)
        await Self.answered(fixture)
        await screen.send(.say("And now?"))
        await Self.answered(fixture)
        #expect(model.requests[1].contents[0].parts == [.text("(A video that is not shown again.)")])
        await fixture.app.shutdown()
    }

    @Test func `a video that is stopped while it is looked at is not sent, and stays attached`() async throws
    {
        let gate = CurrentValue(false)
        let model = ScriptedChatModel(texts: "One.")
        let encoder = GatedPictures(gate)
        let fixture = try AppFixture(chat: model) { $0.chatPictures = encoder }
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        let video = try await fixture.addVideo(Clip.movie(8))
        await screen.send(.attachVideo(video))
        await screen.send(.setInput("What happens?"))
        #expect(!screen.state.canStop)
        let sending = Task { await screen.send(.sendMessage) }
        await encoder.asked.reaches { $0 == 1 }
        await screen.states.reaches { $0.canStop }
        #expect(screen.state.isLoading && !screen.state.canSend && !screen.state.isStreaming)
        await screen.send(.stopReply)
        gate.set(true)
        await sending.value
        #expect(encoder.asked.value == 1, "the others are not looked at")
        #expect(model.requests.isEmpty && screen.state.messages.isEmpty && screen.state.alert == nil)
        #expect(screen.state.attachment?.id == video && screen.state.inputText == "What happens?")
        #expect(!screen.state.isLoading && screen.state.canSend && !screen.state.canStop)
        await screen.send(.sendMessage)
        await Self.answered(fixture)
        #expect(model.requests.count == 1 && encoder.asked.value == 9)
        await fixture.app.shutdown()
    }

    @Test func `while a stream runs a video is not sent, and goes once it has ended`() async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let session = ScriptedSession()
        let (fixture, screen) = try await Self.fixture(model, sessions: [session])
        try await fixture.app.startStreaming()
        await screen.states.reaches { $0.canSend }
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        await screen.send(.say("What is attached?"))
        #expect(screen.state.alert?.text == "Pictures and videos cannot be sent while the stream runs.")
        #expect(screen.state.attachment != nil && !session.texts.contains("What is attached?"))
        #expect(fixture.clips.count == 1)
        await fixture.app.stopStreaming()
        await screen.send(.retry)
        await Self.answered(fixture)
        #expect(model.requests.count == 1 && screen.state.attachment == nil && screen.state.alert == nil)
        await fixture.app.shutdown()
    }

    @Test func `pictures of a message that could not be saved are sent all the same`() async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let (fixture, screen) = try await Self.fixture(model)
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        try fixture.database.close()
        await screen.send(.say("What happens?"))
        await Self.answered(fixture)
        #expect(fixture.app.conversation.content.value.failure != nil)
        #expect(try Self.numbers(try #require(model.requests.first?.contents.last?.parts)) == [0, 1])
        await fixture.app.shutdown()
    }
}

/// Gives the same file for every picture.
struct FixedPicture: FrameEncoder {
    let file: [UInt8]

    func encode(_ frame: VideoFrame) async throws -> [UInt8] { file }
}

/// Gives files as they are once the gate is open, and counts them.
private struct GatedPictures: FrameEncoder {
    let asked = CurrentValue(0)
    private let gate: CurrentValue<Bool>

    init(_ gate: CurrentValue<Bool>) { self.gate = gate }

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        asked.update { $0 += 1 }
        await gate.reaches { $0 }
        guard case .jpeg(let bytes) = frame.content else { return [] }
        return bytes
    }
}
