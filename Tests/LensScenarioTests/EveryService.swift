import AppKernel
import Concurrency
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import Services
import SimulatedDevice
import Synchronization

/// Uses every service that the app takes from its environment, each of which was exchanged for one that notes its use.
struct EveryService: LensScenario {
    static let name = "every-service"
    static let summary = "every service of the environment is exchanged, and the app uses each"
    static let needsSimulatedNetwork = false
    static let settings: [Setting<Self>] = []

    var size = PixelSize(width: 320, height: 180)
    /// What the app has used.
    let used = UsedServices()

    func run() async throws -> ScenarioSummary {
        var options = LensOptions()
        options.size = size
        options.spoken = [[.init(after: .seconds(1), .final("What do you see?"))]]
        options.adjust = { [used] in used.exchange(&$0) }
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await Self.use($0) }
        try await world.shutdown()
        let missing = UsedServices.Service.allCases.filter { used.types[$0] == nil }
        try check(missing.isEmpty, "the app uses each service that it was given", "not \(missing)")
        return ScenarioSummary(["services": used.types.count])
    }

    /// Does what needs each service.
    static func use(_ lens: LensApp) async throws {
        try await lens.camera.connect()
        let taken = try await lens.capturePhoto()
        for await statuses in lens.uploads.statuses.all.values() where statuses[taken.id] == .completed {
            break
        }
        let chat = await lens.makeScreens().chat
        await chat.send(.startListening)
        for await content in lens.conversation.content.values() where content.messages.count == 2 { break }
        lens.settings.update { $0.framesPerSecond = 7 }
        try await lens.startStreaming()
        for await frames in lens.stream.statistics.values() where frames.framesSent > 3 { break }
        await lens.stopStreaming()
    }
}

/// Which services of an environment were used.
final class UsedServices: Sendable {
    enum Service: String, CaseIterable, Sendable {
        case camera, liveModel, chatModel, objects, network, permissions, secrets, preferences, synthesizer,
            recognizer, microphone
    }

    private let noted = Mutex<[Service: String]>([:])
    /// The types of those that were used.
    var types: [Service: String] { noted.withLock { $0 } }
    func note(_ service: Service, _ type: Any.Type) {
        noted.withLock { $0[service] = String(reflecting: type) }
    }

    /// Puts a service that notes its use before each service.
    func exchange(_ environment: inout LensEnvironment) {
        if let make = environment.cameras[.local] {
            environment.cameras[.local] = { [self] size async throws(CameraError) in
                let camera = try await make(size)
                note(.camera, type(of: camera))
                return camera
            }
        }
        environment.model = Noted(base: environment.model, used: self)
        environment.chatModel = Noted(base: environment.chatModel, used: self)
        environment.objects = Noted(base: environment.objects, used: self)
        environment.network = Noted(base: environment.network, used: self)
        environment.permissions = Noted(base: environment.permissions, used: self)
        environment.secrets = Noted(base: environment.secrets, used: self)
        environment.preferences = Noted(base: environment.preferences, used: self)
        environment.synthesizer = Noted(base: environment.synthesizer, used: self)
        environment.recognizer = Noted(base: environment.recognizer, used: self)
        environment.microphone = Noted(base: environment.microphone, used: self)
    }
}

/// A service that notes its use, and leaves the work to another.
private struct Noted<Base: Sendable>: Sendable {
    let base: Base
    let used: UsedServices
}

extension Noted: LiveModel where Base == any LiveModel {
    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        used.note(.liveModel, type(of: base as Any))
        return try await base.startSession(configuration)
    }
}

extension Noted: ChatModel where Base == any ChatModel {
    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        used.note(.chatModel, type(of: base as Any))
        return try await base.generate(request)
    }

    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        used.note(.chatModel, type(of: base as Any))
        return try await base.stream(request)
    }

    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        try await base.countTokens(request)
    }
}

extension Noted: ObjectStore, ForwardingObjectStore where Base == any ObjectStore {
    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        used.note(.objects, type(of: base as Any))
        try await base.put(content, at: key, options, report: report)
    }
}

extension Noted: NetworkMonitor where Base == any NetworkMonitor {
    var isConnected: Bool {
        used.note(.network, type(of: base as Any))
        return base.isConnected
    }

    func changes() -> AsyncStream<Bool> { base.changes() }
}

extension Noted: PermissionAuthority where Base == any PermissionAuthority {
    func status(of permission: DevicePermission) -> PermissionStatus {
        used.note(.permissions, type(of: base as Any))
        return base.status(of: permission)
    }

    func request(_ permission: DevicePermission) async -> PermissionStatus {
        used.note(.permissions, type(of: base as Any))
        return await base.request(permission)
    }
}

extension Noted: SecretStore where Base == any SecretStore {
    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        used.note(.secrets, type(of: base as Any))
        return try base.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try base.set(secret, named: name)
    }
}

extension Noted: PreferenceStore where Base == any PreferenceStore {
    func value(for name: String) throws(PreferenceStoreError) -> String? { try base.value(for: name) }

    func set(_ values: [String: String?]) throws(PreferenceStoreError) {
        used.note(.preferences, type(of: base as Any))
        try base.set(values)
    }
}

extension Noted: SpeechSynthesizer where Base == any SpeechSynthesizer {
    func speak(_ text: String) async {
        used.note(.synthesizer, type(of: base as Any))
        await base.speak(text)
    }

    func stop() async { await base.stop() }
}

extension Noted: SpeechRecognizer where Base == any SpeechRecognizer {
    func prepare() async throws(SpeechInputError) { try await base.prepare() }

    func recognize(_ recording: any AudioRecording) async throws(SpeechInputError) -> any SpeechRecognition {
        used.note(.recognizer, type(of: base as Any))
        return try await base.recognize(recording)
    }
}

extension Noted: Microphone where Base == any Microphone {
    func record() async throws(SpeechInputError) -> any AudioRecording {
        used.note(.microphone, type(of: base as Any))
        return try await base.record()
    }
}
