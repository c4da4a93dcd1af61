import AppKernel
import Concurrency
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

@Suite("The screens and their parts", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct HierarchyTests {
    /// A phone whose pictures are JPEG files, with its screens.
    private struct Phone {
        let session = ScriptedSession()
        let fixture: AppFixture
        let screens: LensScreens

        @MainActor
        init() async throws {
            let encoder = try JPEGFrameEncoder()
            let recognizer = SimulatedSpeechRecognizer([
                [
                    .init(after: .seconds(1), .partial("What is")),
                    .init(after: .seconds(1), .final("What is red?")),
                ]
            ])
            fixture = try AppFixture(
                store: ScriptedObjectStore([.fails(.unauthorized)]),
                sessions: [session],
                chat: ScriptedChatModel(texts: "A door.", "A rose.", "A car.")
            ) {
                $0.chatPictures = encoder
                $0.streamEncoder = encoder
                $0.photoEncoder = encoder
                $0.recognizer = recognizer
                $0.microphone = recognizer.microphone
                $0.about = AboutLens(version: "1.2.3", assistant: .device, storage: .network)
            }
            _ = await fixture.app.launch()
            let size = PixelSize(width: 64, height: 48)
            let picture = PixelBuffer(size: size, layout: .rgb)
            unsafe picture.withMutableBytes { bytes in
                for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: index) }
            }
            fixture.local.show(
                VideoFrame(sequence: 1, timestamp: .zero, size: size, content: .pixels(picture))
            )
            screens = fixture.app.makeScreens()
            screens.appear()
            await screens.camera.states.reaches { $0.connection == .connected }
        }

        /// Takes a photo and records a video, in the camera's tab.
        @MainActor
        func shoot() async throws -> (photo: UUID, video: UUID) {
            await screens.camera.send(.capturePhoto)
            await screens.camera.send(.startRecording)
            try await Task.sleep(for: .seconds(1))
            await screens.camera.send(.stopRecording)
            return (
                try #require(screens.camera.state.lastPhoto), try #require(screens.camera.state.lastVideo)
            )
        }

        func end() async {
            await screens.disappear()
            await fixture.app.shutdown()
        }
    }

    @Test(
        "LENS-224 the gallery has a grid, badges and a sheet; the chat its messages, pictures, input and voice; the settings their four parts"
    )
    func parts() async throws {
        let phone = try await Phone()
        let (app, screens) = (phone.fixture.app, phone.screens)
        let (photo, video) = try await phone.shoot()

        // The gallery's grid, with a badge that follows the upload, and the sheet over it.
        await screens.navigation.send(.selectTab(.gallery))
        await screens.gallery.states.reaches { $0.items.count == 2 }
        #expect(Set(screens.gallery.state.items.map(\.id)) == [photo, video])
        #expect(screens.gallery.state.items.allSatisfy { $0.badge == .none })
        await screens.gallery.send(.upload(photo))
        await screens.gallery.states.reaches { $0.items.contains { $0.badge == .redCross } }
        await screens.gallery.send(.upload(photo))
        await screens.gallery.states.reaches { $0.items.contains { $0.badge == .greenCheck } }
        #expect(screens.gallery.state.items.first { $0.badge == .greenCheck }?.id == photo)
        #expect(screens.preview.state.item == nil)
        await screens.navigation.send(.present(.mediaPreview(photo)))
        await screens.preview.states.reaches { $0.item?.id == photo }
        #expect(screens.navigation.state.presentedSheet == .mediaPreview(photo))
        #expect(screens.preview.state.item?.badge == .greenCheck)
        await screens.navigation.send(.dismissSheet)

        // The chat's list: words and a picture, of both who talk.
        await screens.navigation.send(.selectTab(.chat))
        let chat = screens.chat
        await chat.send(.setInput("What is brown?"))
        #expect(chat.state.inputText == "What is brown?" && chat.state.canSend)
        await chat.send(.sendMessage)
        await chat.states.reaches { $0.messages.count == 2 && $0.canSend }
        await chat.send(.attachPhoto(photo))
        #expect(chat.state.attachment?.id == photo)
        await chat.send(.say("And this?"))
        await chat.states.reaches { $0.messages.count == 4 && $0.canSend }
        #expect(chat.state.attachment == nil && chat.state.inputText == "")
        #expect(chat.state.messages.map(\.text) == ["What is brown?", "A door.", "And this?", "A rose."])
        #expect(chat.state.messages.map(\.role) == [.user, .assistant, .user, .assistant])
        #expect(chat.state.messages.map(\.hasPicture) == [false, false, true, false])
        let pictured = try #require(chat.state.messages.first { $0.hasPicture })
        let picture = try #require(try app.conversation.picture(of: pictured.id))
        #expect(try JPEGDecoder().decode(Array(picture)).size == PixelSize(width: 64, height: 48))
        // What is spoken, and that somebody listens or speaks.
        #expect(!chat.state.isListening && chat.state.transcript == "")
        let listening = Task { await chat.send(.startListening) }
        await chat.states.reaches { $0.isListening && $0.transcript == "What is" }
        await listening.value
        await chat.states.reaches { !$0.isListening && $0.messages.count == 6 }
        #expect(chat.state.messages.dropFirst(4).first?.text == "What is red?" && chat.state.transcript == "")
        await chat.states.reaches { !$0.isSpeaking }
        let spoken = chat.states.values(backlog: 100)
        await app.voice.speak(["A sentence."])
        for await state in spoken where state.isSpeaking { break }

        // The settings: key, camera, upload, about.
        await screens.navigation.send(.selectTab(.settings))
        let settings = screens.settings
        await settings.send(.saveKey(EnteredSecret("key")))
        #expect(settings.state.maskedKey == SettingsScreen.mask)
        await settings.send(.setResolution(.vga))
        await settings.send(.setFrameRate(7))
        #expect(
            settings.state.settings.videoResolution == .vga && settings.state.settings.framesPerSecond == 7
        )
        #expect(settings.state.resolutions == VideoResolution.allCases && settings.state.frameRates == 1...60)
        await settings.send(.setAutoUpload(true))
        #expect(settings.state.settings.autoUpload)
        let about = settings.state.about
        #expect(about.name == "Lens" && about.version == "1.2.3")
        #expect(about.assistant == .device && about.storage == .network)
        #expect(about.libraries.contains { $0.name == "GRDB.swift" && $0.licence == "MIT" })
        await phone.end()
    }

    @Test(
        "LENS-215 camera, chat, gallery, stream, settings and preview are six screens, and each does what it is for"
    )
    func six() async throws {
        let phone = try await Phone()
        let (app, screens) = (phone.fixture.app, phone.screens)
        let six: [any Screen] = [
            screens.camera, screens.chat, screens.gallery, screens.stream, screens.settings, screens.preview,
        ]
        #expect(Set(six.map(ObjectIdentifier.init)).count == 6)
        #expect(
            Set(screens.encoded.map(\.name))
                == [
                    "navigation", "camera", "discovery", "setup", "chat", "reply", "gallery", "stream",
                    "settings", "preview", "analysis",
                ]
        )

        // The camera: which one, its zoom and focus, photos and recordings.
        #expect(screens.camera.state.source == .local && screens.camera.state.sources.count == 2)
        await screens.camera.send(.setZoom(2))
        await screens.camera.send(.focus(x: 0.5, y: 0.25))
        #expect(screens.camera.state.zoomLevel == 2 && screens.camera.state.focus?.y == 0.25)
        let (photo, video) = try await phone.shoot()
        await screens.camera.send(.choose(.veepaWiFi))
        #expect(screens.camera.state.source == .veepaWiFi)

        // The stream: start, what is said, how much was sent, stop.
        await screens.stream.send(.start)
        #expect(screens.stream.state.isStreaming && screens.stream.state.isConnected)
        phone.session.say(.text("Hello"), .turnComplete)
        await screens.stream.states.reaches { $0.latestResponse == "Hello" }
        await screens.stream.send(.stop)
        #expect(!screens.stream.state.isStreaming && screens.stream.state.alert == nil)

        // The chat: what was said, and what is.
        await screens.navigation.send(.selectTab(.chat))
        await screens.chat.states.reaches { $0.messages.map(\.text) == ["Hello"] }
        await screens.chat.send(.say("What is brown?"))
        await screens.chat.states.reaches { $0.messages.map(\.text).last == "A door." }
        await screens.chat.send(.clearHistory)
        #expect(screens.chat.state.messages.isEmpty)

        // The preview: one item, its upload and its end.
        await screens.navigation.send(.selectTab(.gallery))
        await screens.navigation.send(.present(.mediaPreview(video)))
        await screens.preview.states.reaches { $0.item?.id == video && $0.video != nil }
        await screens.preview.send(.upload)
        #expect(try app.uploads.entries().map(\.work.mediaID) == [video])
        await screens.preview.send(.delete)
        #expect(screens.preview.state.item == nil)

        // The gallery: what there is, a selection, and its end.
        await screens.gallery.states.reaches { $0.items.map(\.id) == [photo] }
        await screens.gallery.send(.select(photo))
        #expect(screens.gallery.state.selection == [photo])
        await screens.gallery.send(.deleteSelection)
        #expect(screens.gallery.state.items.isEmpty && app.gallery.content.value.items.isEmpty)

        // The settings: what is set, and the key.
        await screens.navigation.send(.selectTab(.settings))
        await screens.settings.send(.setFrameRate(7))
        #expect(screens.settings.state.settings.framesPerSecond == 7)
        #expect(app.settings.current.value.framesPerSecond == 7)
        await screens.settings.send(.saveKey(EnteredSecret("key")))
        #expect(try await app.modelKey.read()?.reveal() == "key")
        await screens.settings.send(.deleteKey)
        #expect(screens.settings.state.maskedKey == "")
        await phone.end()
    }
}
