import AppKernel
import Lens
import Services
import Synchronization

/// Which services of an environment were used.
final class UseLog: Sendable {
    private let names = Mutex<Set<String>>([])

    var used: Set<String> { names.withLock(\.self) }

    func note(_ name: String) { _ = names.withLock { $0.insert(name) } }
}

/// A service that does what another one does, and notes that it was asked to.
struct NotedUse<Base: Sendable>: Sendable {
    let base: Base
    let name: String
    let log: UseLog

    /// The base, which is about to be used.
    var used: Base {
        log.note(name)
        return base
    }
}

struct NotedModel: LiveModel {
    let noted: NotedUse<any LiveModel>

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        try await noted.used.startSession(configuration)
    }
}

struct NotedChatModel: ChatModel {
    let noted: NotedUse<any ChatModel>

    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        try await noted.used.generate(request)
    }

    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        try await noted.used.stream(request)
    }

    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        try await noted.used.countTokens(request)
    }
}

struct NotedEncoder: FrameEncoder {
    let noted: NotedUse<any FrameEncoder>

    func encode(_ frame: VideoFrame) async throws -> [UInt8] { try await noted.used.encode(frame) }
}

struct NotedStore: ForwardingObjectStore {
    let noted: NotedUse<any ObjectStore>

    var base: any ObjectStore { noted.used }
}

struct NotedNetwork: NetworkMonitor {
    let noted: NotedUse<any NetworkMonitor>

    var isConnected: Bool { noted.used.isConnected }

    func changes() -> AsyncStream<Bool> { noted.used.changes() }
}

struct NotedPermissions: PermissionAuthority {
    let noted: NotedUse<any PermissionAuthority>

    func status(of permission: DevicePermission) -> PermissionStatus {
        noted.used.status(of: permission)
    }

    func request(_ permission: DevicePermission) async -> PermissionStatus {
        await noted.used.request(permission)
    }
}

struct NotedSecrets: SecretStore {
    let noted: NotedUse<any SecretStore>

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        try noted.used.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try noted.used.set(secret, named: name)
    }
}

struct NotedPreferences: PreferenceStore {
    let noted: NotedUse<any PreferenceStore>

    func value(for name: String) throws(PreferenceStoreError) -> String? {
        try noted.used.value(for: name)
    }

    func set(_ values: [String: String?]) throws(PreferenceStoreError) { try noted.used.set(values) }
}

struct NotedSynthesizer: SpeechSynthesizer {
    let noted: NotedUse<any SpeechSynthesizer>

    func speak(_ text: String) async { await noted.used.speak(text) }

    func stop() async { await noted.used.stop() }
}

struct NotedRecognizer: SpeechRecognizer {
    let noted: NotedUse<any SpeechRecognizer>

    func prepare() async throws(SpeechInputError) { try await noted.used.prepare() }

    func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition { try await noted.used.recognize(recording) }
}

struct NotedMicrophone: Microphone {
    let noted: NotedUse<any Microphone>

    func record() async throws(SpeechInputError) -> any AudioRecording { try await noted.used.record() }
}

struct NotedReader: BarcodeReader {
    let noted: NotedUse<ScriptedCodes>

    func read(_ frame: VideoFrame) throws(BarcodeError) -> [BarcodePayload] { try noted.used.read(frame) }
}
