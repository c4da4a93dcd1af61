import Concurrency
import Files
import Foundation
import JPEG
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("The analysis of a video", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct AnalysisTests {
    private struct Phone {
        let fixture: AppFixture
        let model: ScriptedChatModel
        let screens: LensScreens
        @MainActor var analysis: AnalysisScreen { screens.analysis }

        @MainActor
        init(_ model: ScriptedChatModel) async throws {
            let (encoder, photo) = (try JPEGFrameEncoder(), try Clip.jpeg(0))
            self.model = model
            fixture = try AppFixture(chat: model) {
                ($0.chatPictures, $0.photoEncoder) = (encoder, FixedPicture(file: photo))
                $0.chat = ChatPolicy(videoPictures: 4)
            }
            _ = await fixture.app.launch()
            screens = fixture.app.makeScreens()
            screens.appear()
            await screens.navigation.send(.selectTab(.gallery))
        }

        /// Goes to the analysis of a video.
        @MainActor
        func analyse(_ video: UUID) async {
            await screens.gallery.send(.analyse(video))
            await analysis.states.reaches { $0.video == video }
        }

        @MainActor
        func end() async {
            screens.disappear()
            await fixture.app.shutdown()
        }
    }

    private static func question(_ request: ChatRequest) -> [ChatPart] { request.contents.last?.parts ?? [] }

    private static func numbers(_ request: ChatRequest) throws -> [Int] {
        try question(request).compactMap {
            if case .inline("image/jpeg", let jpeg) = $0 { try Clip.number(jpeg) } else { nil }
        }
    }

    @Test(
        "LENS-160 the action of gallery and preview presents the sheet of that video, pictures spread over it go to the model, and its answer is shown",
        arguments: [true, false]
    )
    func action(isPreview: Bool) async throws {
        let phone = try await Phone(ScriptedChatModel(texts: "A **grey** wall.", "It gets lighter."))
        _ = try await phone.fixture.addVideo(Clip.movie(1))
        let video = try await phone.fixture.addVideo(Clip.movie(16))
        if isPreview {
            await phone.screens.navigation.send(.present(.mediaPreview(video)))
            await phone.screens.preview.states.reaches { $0.item?.id == video }
            await phone.screens.preview.send(.analyse)
        } else {
            await phone.screens.gallery.send(.analyse(video))
        }
        let url = VideoAnalysis.address(of: video)
        #expect(phone.screens.navigation.state.presentedSheet == .videoAnalysis(url))
        #expect(url.lastPathComponent == MediaLibrary.fileName(of: video, kind: .video))
        #expect(!url.path.contains(phone.fixture.documents.path), "the folder is nobody's business")
        await phone.analysis.states.reaches { $0.phase == .idle && !$0.answer.isEmpty }
        let state = phone.analysis.state
        #expect(state.video == video && state.question == VideoAnalysis.firstQuestion)
        #expect(state.answer == "A **grey** wall." && state.pictures == 4 && !state.isPartial)
        let request = try #require(phone.model.requests.first)
        #expect(try Self.numbers(request) == [2, 6, 10, 14])
        #expect(Self.question(request).first == .text(VideoAnalysis.firstQuestion))

        await phone.analysis.send(.ask("What changes?"))
        await phone.analysis.states.reaches { $0.phase == .idle && $0.answer == "It gets lighter." }
        #expect(phone.model.requests.count == 2)
        #expect(Self.question(phone.model.requests[1]).first == .text("What changes?"))
        #expect(phone.fixture.app.conversation.content.value.messages.isEmpty, "the chat is another place")
        await phone.end()
    }

    @Test(
        "an answer that fails says why, keeps what has come of it, and is asked for again with the same question"
    )
    func failure() async throws {
        let phone = try await Phone(
            ScriptedChatModel([
                [.fails(ScriptedChatModel.error(.unavailable))],
                [.text("A wall,"), .fails(ScriptedChatModel.error(.interrupted))],
                [.text("A wall."), .ends(.finished(.stop, []))],
            ])
        )
        let video = try await phone.fixture.addVideo(Clip.movie(3))
        await phone.analyse(video)
        await phone.analysis.states.reaches { $0.alert != nil }
        #expect(phone.analysis.state.alert?.text == "The assistant is not available.")
        #expect(phone.analysis.state.alert?.offersRetry == true && !phone.analysis.state.isPartial)
        #expect(phone.analysis.state.phase == .idle)
        await phone.analysis.send(.retry)
        await phone.analysis.states.reaches { $0.alert?.text == "The connection to the assistant broke." }
        #expect(phone.analysis.state.answer == "A wall," && phone.analysis.state.isPartial)
        await phone.analysis.send(.retry)
        await phone.analysis.states.reaches { $0.answer == "A wall." && $0.phase == .idle }
        #expect(phone.analysis.state.alert == nil && !phone.analysis.state.isPartial)
        #expect(
            phone.model.requests.map(Self.question).allSatisfy {
                $0 == Self.question(phone.model.requests[0])
            }
        )
        // What was answered is not asked again.
        await phone.analysis.send(.retry)
        #expect(phone.model.requests.count == 3)
        await phone.end()
    }

    @Test(
        "without a network nothing is asked, and a video that is gone, or no movie, is named; a photo has no analysis"
    )
    func unusable() async throws {
        let phone = try await Phone(ScriptedChatModel(texts: "A wall."))
        let video = try await phone.fixture.addVideo(Clip.movie(3))
        let damaged = try await phone.fixture.addVideo([1, 2, 3])
        phone.fixture.network.report(isConnected: false)
        await phone.analyse(video)
        await phone.analysis.states.reaches { $0.alert != nil }
        #expect(phone.analysis.state.alert?.text == "The assistant cannot be reached.")
        phone.fixture.network.report(isConnected: true)
        await phone.analyse(damaged)
        await phone.analysis.states.reaches { $0.alert?.text == "The video cannot be used." }
        #expect(phone.analysis.state.alert?.offersRetry == false)
        await phone.screens.navigation.send(.dismissSheet)
        try await phone.fixture.app.gallery.delete([video])
        await phone.screens.navigation.send(.present(.videoAnalysis(VideoAnalysis.address(of: video))))
        await phone.analysis.states.reaches { $0.alert?.text == "The file is not there any more." }
        let elsewhere = try #require(URL(string: "https://host/elsewhere.mov"))
        await phone.screens.navigation.send(.present(.videoAnalysis(elsewhere)))
        await phone.analysis.states.reaches {
            $0.video == nil && $0.alert?.text == "The file is not there any more."
        }
        await phone.screens.navigation.send(.dismissSheet)
        try await phone.fixture.app.camera.connect()
        let photo = try await phone.fixture.app.capturePhoto().id
        await phone.screens.gallery.send(.analyse(photo))
        #expect(phone.screens.navigation.state.presentedSheet == nil && phone.model.requests.isEmpty)
        await phone.end()
    }

    @Test("an uploaded video is known by its address at the storage")
    func uploaded() async throws {
        let phone = try await Phone(ScriptedChatModel(texts: "A wall."))
        let video = try await phone.fixture.addVideo(Clip.movie(3))
        try await phone.fixture.app.gallery.upload(video)
        let content = phone.fixture.app.gallery.content
        await content.reaches { $0.item(video)?.remoteURL != nil }
        let address = try #require(content.value.item(video)?.remoteURL)
        await phone.screens.navigation.send(.open("scisymbiolens://analysis?url=\(address.absoluteString)"))
        await phone.analysis.states.reaches { $0.answer == "A wall." }
        #expect(phone.analysis.state.video == video)
        await phone.end()
    }

    @Test(
        "stopping leaves what has come, another question takes the place of one that is being answered, and closing ends it"
    )
    func overlaps() async throws {
        let gates = (0..<3).map { _ in CurrentValue(false) }
        let rest: [ScriptedChatModel.Step] = [.text(" late"), .ends(.finished(.stop, []))]
        let phone = try await Phone(
            ScriptedChatModel(gates.enumerated().map { [.text("\($0)"), .waits($1)] + rest })
        )
        let video = try await phone.fixture.addVideo(Clip.movie(3))
        await phone.analyse(video)
        await phone.analysis.states.reaches { $0.answer == "0" }
        await phone.analysis.send(.ask("And now?"))
        await phone.analysis.states.reaches { $0.answer == "1" }
        gates[0].set(true)
        await phone.model.cancellations.reaches { $0 == 1 }
        #expect(phone.analysis.state.answer == "1" && phone.analysis.state.question == "And now?")
        await phone.analysis.send(.stop)
        #expect(phone.analysis.state.phase == .idle && phone.analysis.state.isPartial)
        gates[1].set(true)
        await phone.model.cancellations.reaches { $0 == 2 }
        #expect(phone.analysis.state.answer == "1" && phone.analysis.state.alert == nil)
        await phone.analysis.send(.ask("Third"))
        await phone.analysis.states.reaches { $0.answer == "2" }
        await phone.screens.navigation.send(.dismissSheet)
        await phone.model.cancellations.reaches { $0 == 3 }
        await phone.analysis.states.reaches { $0 == AnalysisScreen.State() }
        #expect(phone.screens.navigation.state.presentedSheet == nil)
        await phone.end()
    }
}
