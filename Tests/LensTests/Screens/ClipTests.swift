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

@Suite("Files of attached videos", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct ClipTests {
    private static func fixture(
        _ model: ScriptedChatModel = ScriptedChatModel(texts: "One.", "Two."),
        storage: AppStorage? = nil
    ) async throws -> (AppFixture, ChatScreen) {
        let encoder = try JPEGFrameEncoder()
        let fixture = try AppFixture(storage: storage, chat: model) { $0.chatPictures = encoder }
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        return (fixture, screen)
    }

    private static func answered(_ fixture: AppFixture) async {
        await fixture.app.chat.state.reaches { $0.phase == .idle }
    }

    /// Files that are no movies whose pictures can be sent, and what people read about them.
    nonisolated enum Unusable: String, CaseIterable {
        case empty, text, otherCodec, withoutPictures, cutBeforeItsHeader, noJPEG

        var file: [UInt8] {
            get throws {
                switch self {
                case .empty: []
                case .text: Array("<svg/>".utf8)
                case .otherCodec: try Clip.movie(codec: "avc1")
                case .withoutPictures: try Clip.movie(0)
                case .cutBeforeItsHeader: try Array(Clip.movie(3).prefix(40))
                case .noJPEG: try Clip.movie(1).map { $0 == 0xD8 ? 0 : $0 }
                }
            }
        }
    }

    @Test(
        "a file that is no movie of JPEG pictures is an alert, what was attached stays, and nothing of it is left on the disk",
        arguments: Unusable.allCases
    )
    func refused(what: Unusable) async throws {
        let (fixture, screen) = try await Self.fixture()
        await screen.attachVideo(Clip.pieces(try Clip.movie(1)))
        let (before, clips) = (screen.state.attachment, fixture.clips)
        let alert = await screen.attachVideo(Clip.pieces(try what.file))
        #expect(alert?.text == "The video cannot be used.")
        #expect(alert?.advice == "Choose another one, a Motion-JPEG movie such as Lens records.")
        #expect(screen.state.alert == alert && alert?.title == "The video was not attached")
        #expect(screen.state.attachment == before && before != nil && fixture.clips == clips)
        await fixture.app.shutdown()
    }

    @Test func `a file past the limit is refused while it comes, and one that breaks off is not kept`()
        async throws
    {
        let (fixture, screen) = try await Self.fixture()
        let (piece, asked) = ([UInt8](repeating: 0, count: 1 << 20), Box(0))
        let endless = AsyncStream {
            asked.set(asked.value + 1)
            return piece
        }
        #expect(await screen.attachVideo(endless)?.text == "The file is too large.")
        #expect(asked.value == ChatClips.byteLimit / piece.count + 1)
        let begun = try Array(Clip.movie(3).prefix(2_000))
        let broken = AsyncThrowingStream<[UInt8], any Error> { coming in
            coming.yield(begun)
            coming.finish(throwing: CancellationError())
        }
        #expect(await screen.attachVideo(broken)?.text == "The video cannot be used.")
        #expect(fixture.clips.isEmpty && screen.state.attachment == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "a video that is gone or damaged when it is sent is an alert; the message is not sent, and stays with its video",
        arguments: ["gone", "damaged"],
        [true, false]
    )
    func unreadable(how: String, isFile: Bool) async throws {
        let model = ScriptedChatModel(texts: "Grey.")
        let (fixture, screen) = try await Self.fixture(model)
        let movie = try Clip.movie(3)
        let name: String
        if isFile {
            await screen.attachVideo(Clip.pieces(movie))
            name = try #require(fixture.clips.first)
        } else {
            let video = try await fixture.addVideo(movie)
            await screen.send(.attachVideo(video))
            name = MediaLibrary.fileName(of: video, kind: .video)
        }
        let attachment = screen.state.attachment
        try fixture.documents.remove(name)
        if how == "damaged" {
            try fixture.documents.create(name, bytes: [UInt8](repeating: 7, count: 500))
        }
        await screen.send(.say("What happens?"))
        #expect(screen.state.alert?.title == "The message was not sent")
        let text = how == "gone" ? "The file is not there any more." : "The video cannot be used."
        #expect(screen.state.alert?.text == text)
        #expect(screen.state.attachment == attachment && screen.state.inputText == "What happens?")
        #expect(model.requests.isEmpty && screen.state.messages.isEmpty && !screen.state.isLoading)
        try fixture.documents.remove(name)
        try fixture.documents.create(name, bytes: movie)
        await screen.send(.sendMessage)
        await Self.answered(fixture)
        #expect(model.requests.count == 1 && screen.state.attachment == nil)
        await fixture.app.shutdown()
    }

    @Test
    func
        `a picture of a video that is damaged is left out, and a movie that was cut off is sent as far as it goes`()
        async throws
    {
        let model = ScriptedChatModel(texts: "One.", "Two.")
        let (fixture, screen) = try await Self.fixture(model)
        let cut = try Clip.movie(8)
        for movie in [try Clip.movie(4, damaged: [1, 2]), Array(cut.dropLast(cut.count / 2))] {
            let video = try await fixture.addVideo(movie)
            await screen.send(.attachVideo(video))
            await screen.send(.sendMessage)
            await Self.answered(fixture)
        }
        let numbers = try model.requests.map { request in
            try (request.contents.last?.parts ?? []).compactMap { part in
                if case .inline(_, let jpeg) = part { try Clip.number(jpeg) } else { nil }
            }
        }
        #expect(numbers.first == [0, 3])
        let second = try #require(numbers.last)
        #expect(second == Array(0..<second.count) && (2...4).contains(second.count))
        await fixture.app.shutdown()
    }

    @Test func `a video and its file are there after a relaunch, its pictures are shown by their times`()
        async throws
    {
        let (first, screen) = try await Self.fixture()
        await screen.attachVideo(Clip.pieces(try Clip.movie(8)))
        await screen.send(.say("What happens?"))
        await Self.answered(first)
        await screen.states.reaches { $0.messages.count == 2 }
        let shown = screen.state.messages
        let sent = try first.app.conversation.pictures(of: shown[0].id)
        #expect(sent.count == 8 && sent.compactMap(\.time) == (0..<8).map { .milliseconds(250 * $0) })
        await first.app.shutdown()

        let (fixture, next) = try await Self.fixture(storage: first.storage)
        #expect(next.state.messages == shown && shown[0].hasVideo && shown[0].text == "What happens?")
        #expect(try fixture.app.conversation.pictures(of: shown[0].id) == sent)
        #expect(next.state.openVideo == nil)
        await next.send(.openVideo(shown[0].id))
        let open = try #require(next.state.openVideo)
        #expect(open.message == shown[0].id && open.video.frameCount == 8 && open.video.duration == 2)
        for (time, number) in [(0, 0), (1_100, 4), (9_000, 7)] {
            let picture = await fixture.app.videos.picture(of: open.id, at: .milliseconds(time))
            #expect(try Clip.number(picture ?? []) == number)
        }
        await next.send(.closeVideo)
        #expect(next.state.openVideo == nil)
        try fixture.documents.remove(try #require(fixture.clips.first))
        await next.send(.openVideo(shown[0].id))
        #expect(next.state.openVideo == nil && next.state.alert?.title == "The video was not opened")
        await fixture.app.shutdown()
    }

    @Test func `clips go with their conversation, and what a killed process has left goes at launch`()
        async throws
    {
        let (first, screen) = try await Self.fixture()
        let video = try await first.addVideo(Clip.movie(2))
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        await screen.send(.say("Clip"))
        await Self.answered(first)
        await screen.send(.attachVideo(video))
        await screen.send(.say("Gallery"))
        await Self.answered(first)
        let kept = first.clips
        #expect(kept.count == 1)
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        #expect(first.clips.count == 2)
        // Killed: the one that was attached is nobody's.
        let (fixture, next) = try await Self.fixture(storage: first.storage)
        #expect(fixture.clips == kept)
        await next.attachVideo(Clip.pieces(try Clip.movie(2)))
        let attached = ChatClips.fileName(of: try #require(next.state.attachment?.id))
        await next.send(.openVideo(try #require(next.state.messages.first?.id)))
        await next.send(.clearHistory)
        #expect(fixture.clips == [attached], "the one that is attached is still to be sent")
        #expect(next.state.openVideo == nil)
        #expect(fixture.documents.contains(MediaLibrary.fileName(of: video, kind: .video)))
        await next.send(.say("Later"))
        await Self.answered(fixture)
        #expect(fixture.clips == [attached] && next.state.messages.first?.hasVideo == true)
        await next.send(.clearHistory)
        #expect(fixture.clips.isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "a full disk and one that fails are an alert, and nothing of the file is left",
        arguments: [(FullFiles.Call.create, FileFailure.Code.disk), (.write, .full), (.sync, .disk)]
    )
    func disk(call: FullFiles.Call, code: FileFailure.Code) async throws {
        let files = try FullFiles()
        let fixture = try AppFixture(files: files)
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        files.fail(call, code, after: call == .write ? 2 : 0)
        let file = try Clip.movie(5)
        let alert = await screen.attachVideo(Clip.pieces(file))
        #expect(alert?.text == (code == .full ? "The disk is full." : "The file could not be used."))
        #expect(screen.state.attachment == nil && fixture.clips.isEmpty)
        files.heal()
        #expect(await screen.attachVideo(Clip.pieces(file)) == nil)
        await fixture.app.shutdown()
    }

    @Test func `a clip that is replaced is removed, and one that is being sent is not`() async throws {
        let gate = CurrentValue(false)
        let encoder = OpenedPictures(gate: gate)
        let fixture = try AppFixture(chat: ScriptedChatModel(texts: "One.")) { $0.chatPictures = encoder }
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await screen.attachVideo(Clip.pieces(try Clip.movie(1)))
        await screen.attachVideo(Clip.pieces(try Clip.movie(2)))
        let sent = ChatClips.fileName(of: try #require(screen.state.attachment?.id))
        #expect(fixture.clips == [sent])
        let sending = Task { await screen.send(.sendMessage) }
        await encoder.asked.reaches { $0 }
        await screen.attachVideo(Clip.pieces(try Clip.movie(3)))
        let later = ChatClips.fileName(of: try #require(screen.state.attachment?.id))
        #expect(Set(fixture.clips) == [sent, later])
        gate.set(true)
        await sending.value
        await Self.answered(fixture)
        #expect(Set(fixture.clips) == [sent, later] && screen.state.attachment != nil)
        screen.discardAttachment()
        #expect(fixture.clips == [sent])
        await fixture.app.shutdown()
    }
}

/// Gives files as they are once the gate is open.
private struct OpenedPictures: FrameEncoder {
    let asked = CurrentValue(false)
    let gate: CurrentValue<Bool>

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        asked.set(true)
        await gate.reaches { $0 }
        guard case .jpeg(let bytes) = frame.content else { return [] }
        return bytes
    }
}
