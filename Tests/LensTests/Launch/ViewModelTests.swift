import AppKernel
import Foundation
import Lens
import Services
import Testing

@Suite("View models", .timeLimit(.minutes(1)))
@MainActor
struct ViewModelTests {
    /// Lets other tasks run until the condition holds; the suite's time limit bounds it.
    private func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    @Test("LENS-219 the streaming screen follows the stream and shows errors")
    func streaming() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        let model = VideoStreamViewModel(fixture.stream)
        #expect(!model.isStreaming && model.framesSent == 0 && model.error == nil)
        model.onAppear()
        await model.startStreaming()
        #expect(model.isStreaming && model.isConnected)
        session.say(.text("Hello"))
        await until { model.framesSent == 1 && model.latestResponse == "Hello" }
        await model.stopStreaming()
        #expect(!model.isStreaming)
        await model.startStreaming()
        #expect(model.error?.code == .unreachable && !model.isStreaming)
    }

    @Test("LENS-111 the chat screen shows the reply while it grows, then the message")
    func chat() async throws {
        let fixture = try AppFixture()
        let model = ChatViewModel(fixture.app.conversation)
        #expect(model.messages.isEmpty && !model.isStreaming && model.streamingResponse == "")
        model.onAppear()
        await fixture.app.conversation.replyBegan()
        await fixture.app.conversation.replyGrew(by: "Hel")
        await until { model.streamingResponse == "Hel" }
        #expect(model.isStreaming)
        await fixture.app.conversation.replyEnded(FinishedReply(text: "Hello", ending: .complete))
        await until { model.messages.count == 1 && !model.isStreaming }
        await model.clearHistory()
        #expect(model.messages.isEmpty)
    }

    @Test("LENS-016 LENS-217 the camera screen connects the camera, takes photos and shows errors")
    func camera() async throws {
        let fixture = try AppFixture()
        try fixture.documents.create()
        let app = fixture.app
        let model = CameraViewModel(
            camera: app.camera,
            photos: app.photos,
            uploads: app.uploads,
            settings: app.settings
        )
        #expect(!model.isLoading && model.error == nil)
        model.onAppear()
        await model.capturePhoto()
        #expect(model.captureFailure?.contains("no picture") == true)
        await model.startCamera()
        #expect(model.status.state == .connected)
        await model.capturePhoto()
        let photo = try #require(model.lastPhoto)
        #expect(model.captureFailure == nil && !model.isLoading)
        model.upload(photo)
        #expect(try app.uploads.entries().count == 1)
        await model.stopCamera()
        #expect(model.status.state == .disconnected)
    }

    @Test("LENS-185 LENS-187 badges follow the queue")
    func badges() async throws {
        let fixture = try AppFixture(store: ScriptedObjectStore([.fails(.unauthorized)]))
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        let model = UploadsViewModel(fixture.app.uploads)
        model.onAppear()
        let item = try await fixture.app.capturePhoto()
        #expect(model.badge(of: item.id) == .none)
        try fixture.app.uploads.add(item)
        await until { model.badge(of: item.id) == .pending }
        await fixture.app.uploads.processQueue()
        await until { model.badge(of: item.id) == .redCross }
        model.retry(item.id)
        await until { model.badge(of: item.id) == .pending }
        await fixture.app.uploads.processQueue()
        await until { model.badge(of: item.id) == .greenCheck }
    }

    @Test("LENS-246 a view model that is dropped while it follows is released")
    func released() async throws {
        let fixture = try AppFixture()
        var model: ChatViewModel? = ChatViewModel(fixture.app.conversation)
        weak let weakModel = model
        model?.onAppear()
        await fixture.app.conversation.replyGrew(by: "x")
        await until { model?.streamingResponse == "x" }
        model = nil
        await until { weakModel == nil }
        #expect(weakModel == nil)
    }
}
