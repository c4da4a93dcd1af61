import Foundation
import Lens
import LensScreens
import ScreenKit
import Services

/// One thing that a user does, on one of the screens.
enum UserAction: Sendable {
    case navigation(NavigationScreen.Action)
    case camera(CameraScreen.Action)
    case discovery(DiscoveryScreen.Action)
    case setup(CameraSetupScreen.Action)
    case stream(StreamScreen.Action)
    case gallery(GalleryScreen.Action)
    case preview(PreviewScreen.Action)
    case analysis(AnalysisScreen.Action)
    case chat(ChatScreen.Action)
    /// Attaches a file to the next message of the chat.
    case file([UInt8])
    case settings(SettingsScreen.Action)

    /// What is spoken, word by word.
    static let speech = "Tell me what that is".split(separator: " ").map(String.init)

    /// All words that are typed or spoken, but for those that are too long.
    static let words = Set(speech + "What is this? What do you see?".split(separator: " ").map(String.init))

    /// Draws any action of any screen, about what the screens show, and now and then about what is not there.
    @MainActor
    static func random(on screens: LensScreens) -> UserAction {
        let item =
            screens.gallery.state.items.map(\.id).randomElement().flatMap { Bool.often ? $0 : nil } ?? UUID()
        switch Int.random(in: 0..<8) {
        case 0: return .navigation(navigation(item))
        case 1:
            return .camera(
                [
                    .start, .stop, .choose(.local), .choose(.veepaWiFi), .capturePhoto, .capturePhoto,
                    .startRecording, .startRecording, .stopRecording,
                    .setZoom(.random(in: -1...9)), .focus(x: .random(in: -0.2...1.2), y: .random(in: 0...1)),
                    .setResolution(VideoResolution.allCases.randomElement() ?? .vga), .dismissToast, .retry,
                    .dismissAlert,
                ]
                .randomElement() ?? .start
            )
        case 2:
            return .stream(
                [.start, .start, .stop, .stopSpeaking, .retry, .dismissAlert].randomElement() ?? .start
            )
        case 3:
            return .gallery(
                [
                    .select(item), .select(item), .deselect(item), .selectAll, .clearSelection,
                    .deleteSelection,
                    .upload(item), .uploadSelection, .showEarlier, .showNewest, .analyse(item), .retry,
                    .dismissAlert,
                ].randomElement() ?? .retry
            )
        case 4 where Int.random(in: 0..<4) == 0:
            return .analysis([.ask("What is this?"), .stop, .retry, .dismissAlert].randomElement() ?? .retry)
        case 4:
            return .preview([.upload, .delete, .analyse, .retry, .dismissAlert].randomElement() ?? .retry)
        case 5 where Int.random(in: 0..<8) == 0: return .file(file())
        case 5:
            return .chat(
                [
                    .setInput("What is this?"),
                    .setInput(String(repeating: "é", count: Int.random(in: 0...9_000))),
                    .sendMessage, .say("What do you see?"), .showEarlier, .showNewest, .stopSpeaking,
                    .stopReply, .askAgain, .startListening, .finishListening, .attachPhoto(item),
                    .attachVideo(item), .openAttachmentMenu, .closeAttachmentMenu, .removeAttachment,
                    .openVideo(item), .closeVideo,
                    .retry, .dismissAlert,
                    Bool.often ? .sendMessage : .clearHistory,
                ].randomElement() ?? .retry
            )
        case 6: return Bool.random() ? .discovery(discovery()) : .setup(setup())
        default: return .settings(settings())
        }
    }

    private static func discovery() -> DiscoveryScreen.Action {
        let password = Bool.often ? SimulatedWiFiCamera.password : SimulatedWiFiCamera.factoryPassword
        return [
            .search, .pick(SimulatedWiFiCamera.id), .pick(SimulatedWiFiCamera.id), .pick("nonsense"), .unpick,
            .setUp(user: "admin", password: EnteredSecret(password)),
            .setUp(user: "admin", password: EnteredSecret(password)), .forget, .retry, .dismissAlert,
        ].randomElement() ?? .retry
    }

    private static func setup() -> CameraSetupScreen.Action {
        let wifi = SimulatedWiFiCamera.wifi
        let password = Bool.often ? wifi.password.reveal() : "not the password"
        return [
            .start, .start, .showCode(network: wifi.name, password: EnteredSecret(password)),
            .showCode(network: wifi.name, password: EnteredSecret(password)), .cancel, .retry, .dismissAlert,
        ].randomElement() ?? .retry
    }

    private static func navigation(_ item: UUID) -> NavigationScreen.Action {
        let links = [
            "scisymbiolens://camera", "scisymbiolens://media/\(item)", "scisymbiolens://discover",
            "https://elsewhere",
            "scisymbiolens://analysis?url=https://host/v.mov", "\u{0}",
        ]
        return [
            .selectTab(NavigationScreen.Tab.allCases.randomElement() ?? .camera),
            .present(.mediaPreview(item)),
            .present(.mediaPreview(item)), .present(.cameraDiscovery), .dismissSheet,
            .push(NavigationScreen.Route.allCases.randomElement() ?? .about), .pop,
            .open(links.randomElement() ?? ""), .dismissAlert,
        ].randomElement() ?? .pop
    }

    /// A picture, or something that is none.
    private static func file() -> [UInt8] {
        let picture = (try? PreparedFrames.make(size: pictureSize).files.randomElement()) ?? []
        return Bool.often ? picture : Array(picture.prefix(.random(in: 0...picture.count)))
    }

    private static let pictureSize = PixelSize(width: 320, height: 180)

    private static func settings() -> SettingsScreen.Action {
        [
            .setResolution(VideoResolution.allCases.randomElement() ?? .vga),
            .setFrameRate([1, 5, 10, 60, .max, .min, 0].randomElement() ?? 5), .setAutoUpload(.random()),
            .setSpeech(.random()), .retry, .dismissAlert,
            .chooseCamera(.local), .chooseCamera(.veepaWiFi),
            // A key that is gone is put back, or nothing else would be tried.
            .testKey, .saveKey(EnteredSecret(LensOptions.modelKey)),
            Bool.often ? .saveKey(EnteredSecret(LensOptions.modelKey)) : .deleteKey,
        ].randomElement() ?? .retry
    }

    /// Does it.
    @MainActor
    func send(to screens: LensScreens) async {
        switch self {
        case .navigation(let action): await screens.navigation.send(action)
        case .camera(let action): await screens.camera.send(action)
        case .discovery(let action): await screens.discovery.send(action)
        case .setup(let action): await screens.setup.send(action)
        case .stream(let action): await screens.stream.send(action)
        case .gallery(let action): await screens.gallery.send(action)
        case .preview(let action): await screens.preview.send(action)
        case .analysis(let action): await screens.analysis.send(action)
        case .chat(let action): await screens.chat.send(action)
        case .file(let bytes): await screens.chat.attach(bytes)
        case .settings(let action): await screens.settings.send(action)
        }
    }
}

extension Bool {
    /// True four times of five.
    fileprivate static var often: Bool { Int.random(in: 0..<5) > 0 }
}
