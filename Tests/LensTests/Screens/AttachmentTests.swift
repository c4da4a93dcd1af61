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

@Suite("Pictures that go with a message", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct AttachmentTests {
    /// A small JPEG file of one grey.
    private static func picture(_ grey: UInt8 = 90) async throws -> [UInt8] {
        let buffer = PixelBuffer(size: PixelSize(width: 64, height: 48), layout: .rgb)
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices { unsafe bytes[index] = grey }
        }
        let frame = VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .pixels(buffer))
        return try await JPEGFrameEncoder().encode(frame)
    }

    private static func fixture(
        _ model: ScriptedChatModel = ScriptedChatModel(texts: "One.", "Two."),
        sessions: [ScriptedSession] = []
    ) async throws -> (AppFixture, ChatScreen) {
        let (encoder, photos) = (try JPEGFrameEncoder(), try await picture(200))
        let fixture = try AppFixture(sessions: sessions, chat: model) {
            $0.chatPictures = encoder
            $0.photoEncoder = FixedEncoder(file: photos)
        }
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        return (fixture, screen)
    }

    private static func takePhoto(_ fixture: AppFixture) async throws -> UUID {
        try await fixture.app.camera.connect()
        return try await fixture.app.capturePhoto().id
    }

    private static func file(_ fixture: AppFixture, _ message: ChatScreen.Message?) throws -> [UInt8]? {
        try message.flatMap { try fixture.app.conversation.picture(of: $0.id) }.map { Array($0) }
    }

    private static func inline(_ request: ChatRequest?) -> [UInt8]? {
        for case .inline("image/jpeg", let bytes) in request?.contents.last?.parts ?? [] { return bytes }
        return nil
    }

    @Test func `a photo or a file is shown as attached, replaced by another one, and can be removed`()
        async throws
    {
        let model = ScriptedChatModel(texts: "One.")
        let (fixture, screen) = try await Self.fixture(model)
        let (photo, file) = (try await Self.takePhoto(fixture), try await Self.picture())
        #expect(screen.state.attachment == nil)
        await screen.send(.attachPhoto(photo))
        #expect(screen.state.attachment?.id == photo && screen.state.attachment?.isFile == false)
        #expect(screen.attachedFile(photo) == nil)
        #expect(await screen.attach(file) == nil)
        let attachment = try #require(screen.state.attachment)
        #expect(attachment.isFile && screen.attachedFile(attachment.id) == file)
        #expect(screen.attachedFile(photo) == nil)
        await screen.send(.removeAttachment)
        #expect(screen.state.attachment == nil && screen.attachedFile(attachment.id) == nil)
        await screen.send(.say("Only words"))
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(screen.state.messages.first?.hasPicture == false && Self.inline(model.requests.first) == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-136 a message with a picture is in the conversation and the database, caption and all, before the service is called",
        arguments: [true, false]
    )
    func saved(isFile: Bool) async throws {
        let (holder, seen) = (Box<AppFixture?>(nil), Box<[ChatMessage.Content]>([]))
        let look = ScriptedChatModel.Step.does {
            guard let fixture = holder.value,
                let shown = fixture.app.conversation.content.value.messages.last,
                let store = try? ConversationStore(AppDatabase(path: fixture.storage.database("app.sqlite"))),
                (try? store.page(before: nil, limit: 9).messages.last) == shown,
                let bytes = try? store.picture(of: shown.id), case .image(_, let caption) = shown.content
            else { return }
            seen.append(.image(bytes, caption: caption))
        }
        let model = ScriptedChatModel([[look, .text("Grey."), .ends(.finished(.stop, []))]])
        let (fixture, screen) = try await Self.fixture(model)
        holder.set(fixture)
        let file = try await Self.picture(isFile ? 90 : 200)
        if isFile {
            await screen.attach(file)
        } else {
            await screen.send(.attachPhoto(try await Self.takePhoto(fixture)))
        }
        await screen.send(.setInput(" What is it? "))
        await screen.send(.sendMessage)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        await screen.states.reaches { $0.messages.count == 2 }
        #expect(seen.value == [.image(Data(file), caption: "What is it?")])
        #expect(Self.inline(model.requests.last) == file)
        #expect(
            screen.state.messages.first?.text == "What is it?"
                && screen.state.messages.first?.hasPicture == true
        )
        #expect(screen.state.attachment == nil && screen.state.inputText.isEmpty)
        holder.set(nil)
        await fixture.app.shutdown()
    }

    @Test("LENS-138 a picture goes without a word, and its caption is none")
    func withoutCaption() async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let (fixture, screen) = try await Self.fixture(model)
        let file = try await Self.picture()
        await screen.attach(file)
        await screen.send(.say(" \n"))
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        let message = try #require(fixture.app.conversation.content.value.messages.first)
        #expect(message.content == .image(Data(), caption: nil))
        #expect(try Self.file(fixture, ChatScreen.Message(message)) == file)
        #expect(
            model.requests.first?.contents == [ChatContent(.user, [.inline(mediaType: "image/jpeg", file)])]
        )
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-145 a picture that cannot be read is an alert; the message is not sent, and stays with its picture",
        arguments: ["deleted", "damaged"]
    )
    func unreadable(how: String) async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let (fixture, screen) = try await Self.fixture(model)
        let photo = try await Self.takePhoto(fixture)
        await screen.send(.attachPhoto(photo))
        await screen.send(.setInput("What is it?"))
        let name = MediaLibrary.fileName(of: photo, kind: .photo)
        let whole = try fixture.documents.read(name, upTo: 1_000_000)
        try fixture.documents.remove(name)
        if how == "damaged" {
            try fixture.documents.create(name, bytes: Array(whole.prefix(whole.count / 2)))
        }
        await screen.send(.sendMessage)
        #expect(screen.state.alert?.title == "The message was not sent")
        let text = how == "deleted" ? "The file is not there any more." : "The picture cannot be used."
        #expect(screen.state.alert?.text == text)
        #expect(screen.state.attachment?.id == photo && screen.state.inputText == "What is it?")
        #expect(model.requests.isEmpty && screen.state.messages.isEmpty && !screen.state.isLoading)
        // It goes once it can be read.
        if how == "damaged" { try fixture.documents.remove(name) }
        try fixture.documents.create(name, bytes: whole)
        await screen.send(.sendMessage)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(Self.inline(model.requests.first) == whole && screen.state.attachment == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "a file that is no JPEG file, and an item that is no photo, are an alert, and what is attached stays",
        arguments: [[], [1, 2, 3], [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF, 0xD9]] as [[UInt8]]
    )
    func refused(file: [UInt8]) async throws {
        let (fixture, screen) = try await Self.fixture()
        await screen.attach(try await Self.picture())
        let before = screen.state.attachment
        #expect(await screen.attach(file)?.text == "The picture cannot be used.")
        #expect(screen.state.alert?.title == "The picture was not attached")
        await screen.send(.dismissAlert)
        await screen.send(.attachPhoto(UUID()))
        #expect(screen.state.alert?.title == "The picture was not attached")
        #expect(screen.state.attachment == before && before != nil)
        await fixture.app.shutdown()
    }

    @Test func `a large file is kept as small as it is sent`() async throws {
        let (fixture, screen) = try await Self.fixture()
        let buffer = PixelBuffer(size: PixelSize(width: 1280, height: 720), layout: .rgb)
        var state: UInt64 = 1
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
            }
        }
        let frame = VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .pixels(buffer))
        let large = try await JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit).encode(frame)
        #expect(large.count > 500_000)
        await screen.attach(large)
        let id = try #require(screen.state.attachment?.id)
        let file = try #require(screen.attachedFile(id))
        #expect(file.count < 204_800 && file.starts(with: [0xFF, 0xD8]))
        await fixture.app.shutdown()
    }

    @Test func `while a stream runs a picture is not sent, and goes once it has ended`() async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let session = ScriptedSession()
        let (fixture, screen) = try await Self.fixture(model, sessions: [session])
        try await fixture.app.startStreaming()
        await screen.states.reaches { $0.canSend }
        await screen.attach(try await Self.picture())
        await screen.send(.say("What is attached?"))
        #expect(screen.state.alert?.text == "Pictures and videos cannot be sent while the stream runs.")
        #expect(screen.state.attachment != nil && !session.texts.contains("What is attached?"))
        await fixture.app.stopStreaming()
        await screen.send(.retry)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(model.requests.count == 1 && screen.state.attachment == nil && screen.state.alert == nil)
        await fixture.app.shutdown()
    }

    @Test func `another picture that is attached while one is being sent goes with the next message`()
        async throws
    {
        let gate = CurrentValue(false)
        let model = ScriptedChatModel(texts: "One.", "Two.")
        let encoder = GatedEncoder(gate)
        let fixture = try AppFixture(chat: model) {
            ($0.chatPictures, $0.photoEncoder) = (encoder, FixedEncoder(file: [0xFF, 0xD8]))
        }
        _ = await fixture.app.launch()
        let photo = try await Self.takePhoto(fixture)
        let other = try await fixture.app.capturePhoto().id
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await screen.send(.attachPhoto(photo))
        let sending = Task { await screen.send(.sendMessage) }
        await encoder.asked.reaches { $0 }
        await screen.send(.attachPhoto(other))
        gate.set(true)
        await sending.value
        #expect(screen.state.attachment?.id == other)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        await fixture.app.shutdown()
    }
}

/// Gives the same file for every picture.
private struct FixedEncoder: FrameEncoder {
    let file: [UInt8]

    func encode(_ frame: VideoFrame) async throws -> [UInt8] { file }
}

/// Gives a file once the gate is open.
private struct GatedEncoder: FrameEncoder {
    let asked = CurrentValue(false)
    private let gate: CurrentValue<Bool>

    init(_ gate: CurrentValue<Bool>) { self.gate = gate }

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        asked.set(true)
        await gate.reaches { $0 }
        guard case .jpeg(let bytes) = frame.content else { return [] }
        return bytes
    }
}
