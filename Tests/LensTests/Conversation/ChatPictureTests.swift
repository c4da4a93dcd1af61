import AppKernel
import Concurrency
import Foundation
import JPEG
import Lens
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Pictures in the chat", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ChatPictureTests {
    /// A JPEG file of noise, which compresses worst of all.
    private static func noise(_ size: PixelSize, quality: Int = 80) throws -> [UInt8] {
        let buffer = PixelBuffer(size: size, layout: .rgb)
        var state: UInt64 = 1
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
            }
        }
        return try JPEGEncoder().encode(buffer, quality: quality)
    }

    private static func fixture(_ model: ScriptedChatModel) throws -> AppFixture {
        let encoder = try JPEGFrameEncoder()
        return try AppFixture(chat: model) { $0.chatPictures = encoder }
    }

    private static func picture(_ request: ChatRequest?) -> [UInt8]? {
        for case .inline(_, let bytes) in request?.contents.last?.parts ?? [] { return bytes }
        return nil
    }

    @Test(
        "LENS-139 a picture that is too large is made smaller than 200 KB before it is sent, and a small one stays as it is"
    )
    func sizes() async throws {
        let model = ScriptedChatModel(texts: "Large", "Small")
        let fixture = try Self.fixture(model)
        let (large, small) = (
            try Self.noise(PixelSize(width: 1280, height: 720)),
            // Not of the quality that the encoder would choose.
            try Self.noise(PixelSize(width: 64, height: 48), quality: 95)
        )
        #expect(large.count > 204_800)
        for picture in [large, small] {
            try await fixture.app.chat.send(ChatDraft("Look", picture: picture))
            await fixture.app.chat.state.reaches { !$0.isAnswering }
        }
        let sent = model.requests.map { Self.picture($0) ?? [] }
        #expect(
            sent[0].count < 204_800 && sent[0].starts(with: [0xFF, 0xD8])
                && sent[0].suffix(2) == [0xFF, 0xD9]
        )
        let isUnchanged = sent[1] == small
        #expect(isUnchanged)
        #expect(model.requests.allSatisfy { $0.contents.last?.parts.first == .text("Look") })
        let ids = fixture.app.conversation.content.value.messages.filter { $0.role == .user }.map(\.id)
        #expect(try ids.map { try fixture.app.conversation.picture(of: $0).map { Array($0) } } == sent)
    }

    @Test(
        "a question with a picture has its words, then the picture as image/jpeg, after what was said before"
    )
    func parts() async throws {
        let model = ScriptedChatModel(texts: "Hello", "A face")
        let fixture = try Self.fixture(model)
        let picture = try Self.noise(PixelSize(width: 64, height: 48))
        for draft in [ChatDraft("Hi"), ChatDraft("Who is it?", picture: picture)] {
            try await fixture.app.chat.send(draft)
            await fixture.app.chat.state.reaches { !$0.isAnswering }
        }
        #expect(
            model.requests.last?.contents == [
                .user("Hi"), .model("Hello"),
                ChatContent(.user, [.text("Who is it?"), .inline(mediaType: "image/jpeg", picture)]),
            ]
        )
    }

    @Test(
        "LENS-142 LENS-143 the answer to a picture grows with each piece, and is a message that is saved at its end"
    )
    func answered() async throws {
        let gates = (0..<3).map { _ in CurrentValue(false) }
        let fixture = try Self.fixture(
            ScriptedChatModel([
                [
                    .waits(gates[0]), .text("A "), .waits(gates[1]), .text("face"), .waits(gates[2]),
                    .ends(.finished(.stop, [])),
                ]
            ])
        )
        try fixture.noteSaves()
        let content = fixture.app.conversation.content
        let picture = try Self.noise(PixelSize(width: 64, height: 48))
        try await fixture.app.chat.send(ChatDraft("Who is it?", picture: picture))
        for (gate, text) in zip(gates, ["", "A ", "A face"]) {
            await content.reaches { $0.streamingResponse == text }
            #expect(fixture.app.chat.state.value.phase == .streaming)
            #expect(try fixture.saves() == ["user"])
            gate.set(true)
        }
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(content.value.streamingResponse == "" && fixture.app.chat.state.value == Chat.State())
        let answer = try #require(content.value.messages.last)
        #expect(answer.role == .assistant && answer.content == .text("A face") && !answer.isPartial)
        #expect(try fixture.saves() == ["user", "assistant"])
        let store = try ConversationStore(AppDatabase(path: fixture.storage.database("app.sqlite")))
        #expect(try store.page(before: nil, limit: 9).messages == content.value.messages)
    }

    @Test(
        "what is said with a picture is in the conversation and the database before the model is asked"
    )
    func saved() async throws {
        let (holder, seen) = (Box<AppFixture?>(nil), Box<[ChatMessage.Content]>([]))
        let look = ScriptedChatModel.Step.does {
            guard let fixture = holder.value,
                let message = fixture.app.conversation.content.value.messages.last,
                let store = try? ConversationStore(AppDatabase(path: fixture.storage.database("app.sqlite"))),
                (try? store.page(before: nil, limit: 9).messages.last) == message,
                let bytes = try? store.picture(of: message.id)
            else { return }
            var content = message.content
            if case .image(_, let caption) = content { content = .image(bytes, caption: caption) }
            seen.append(content)
        }
        let fixture = try Self.fixture(
            ScriptedChatModel([[look, .text("A face"), .ends(.finished(.stop, []))]])
        )
        holder.set(fixture)
        let picture = try Self.noise(PixelSize(width: 64, height: 48))
        try await fixture.app.chat.send(ChatDraft(" Who is it? ", picture: picture))
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(seen.value == [.image(Data(picture), caption: "Who is it?")])
        holder.set(nil)
    }

    @Test(
        "a picture that is neither a JPEG nor a PNG file is refused, and nothing is sent or kept",
        arguments: [[0x89, 0x50, 0x4E, 0x47, 0x0D], [1, 2, 3], [], [0xFF, 0xD8, 0xFF, 0xD9]] as [[UInt8]]
    )
    func unusable(picture: [UInt8]) async throws {
        let model = ScriptedChatModel(texts: "ok")
        let fixture = try Self.fixture(model)
        let error = await #expect(throws: ChatFailure.self) {
            try await fixture.app.chat.send(ChatDraft("Look", picture: picture))
        }
        guard case .unusablePicture(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(picture.first == 0xFF || detail.contains("PNG"))
        #expect(model.requests.isEmpty && fixture.app.conversation.content.value.messages.isEmpty)
        try await fixture.app.chat.send(ChatDraft("Without"))
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        #expect(fixture.app.conversation.content.value.messages.count == 2)
    }

    @Test(
        "LENS-141 a PNG file is kept, sent and shown as the JPEG file that its label says, with its picture"
    )
    func converted() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/Images/PNG/rgb.png")
        let model = ScriptedChatModel(texts: "Red and blue.")
        let fixture = try Self.fixture(model)
        let png = Array(try Data(contentsOf: file))
        try await fixture.app.chat.send(ChatDraft("What is it?", picture: png))
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        let message = try #require(fixture.app.conversation.content.value.messages.first)
        let kept = try #require(try fixture.app.conversation.picture(of: message.id)).map(\.self)
        guard case .inline("image/jpeg", let sent)? = model.requests.first?.contents.last?.parts.last else {
            Issue.record("\(String(describing: model.requests.first?.contents.last))")
            return
        }
        for bytes in [kept, sent] {
            let picture = try JPEGDecoder().decode(bytes, layout: .rgb)
            #expect(picture.size == PixelSize(width: 16, height: 8))
            // Left red, right blue; JPEG changes colours a little.
            let (left, right) = unsafe picture.withBytes { unsafe (Array($0[3..<6]), Array($0[36..<39])) }
            #expect(left[0] > 200 && left[2] < 60 && right[0] < 60 && right[2] > 200)
        }
    }
}
