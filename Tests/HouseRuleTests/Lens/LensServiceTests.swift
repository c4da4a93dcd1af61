import Foundation
import Testing

@Suite("Services of Lens's source")
struct LensServiceTests {
    /// The services of the source by their groups, as far as the checklist's rows name them.
    private static let services: [String: Set<String>] = [
        "core": ["CameraManager", "PermissionManager", "NetworkMonitor", "KeychainHelper"],
        "camera": ["CameraSourceManager", "LocalCameraSource", "VeepaCameraSource"],
        "AI": [
            "GeminiSessionManager", "StreamingService", "GeminiChatService", "GeminiSDKService",
            "GeminiKeyManager",
        ],
        "engine bridge": [
            "VeepaConnectionBridge", "VeepaProvisioningBridge", "VeepaDiscoveryBridge", "VeepaFrameBridge",
            "VeepaAudioBridge",
        ],
        "data": ["SupabaseManager", "StorageService", "ConversationStore", "UploadQueue"],
        "voice": ["VoiceEngine", "VoiceInputService", "TextToSpeechService"],
        "other": ["ConversationManager", "P2PCredentialService", "UploadService", "UploadStatusStore"],
    ]

    @Test(
        "LENS-222 each service of the source, of its six groups and beside them, has a type and a file here"
    )
    func services() throws {
        let tree = try SourceTree()
        let document = try String(
            contentsOf: tree.root.appending(path: "Documentation/Lens.md"),
            encoding: .utf8
        )
        #expect(
            Self.services.mapValues(\.count) == [
                "core": 4, "camera": 3, "AI": 5, "engine bridge": 5, "data": 4, "voice": 3, "other": 4,
            ]
        )
        var named: [String: (type: Substring, path: Substring)] = [:]
        for row in document.matches(of: /(?m)^\| ([^|]+) \| `(\w+)`[^|]* \| `(Sources\/[^`]+)`[^|]*\|$/) {
            for name in row.1.matches(of: /`(\w+)`/) { named[String(name.1)] = (row.2, row.3) }
        }
        for service in Self.services.values.joined() {
            let (type, path) = try #require(named[service], "\(service) is not in the table")
            let declaration = try Regex("(?m)^[a-z ]*(class|struct|actor|protocol|enum) \(type)\\b")
            let text = try #require(
                tree.files.first { $0.path == path }?.text,
                "\(path) of \(service) is not there"
            )
            #expect(text.contains(declaration), "\(path) does not declare \(type)")
        }
    }
}
