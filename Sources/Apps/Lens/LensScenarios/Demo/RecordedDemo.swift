import GeminiAPI
public import ScenarioKit
import Services
public import SessionRecording

/// A demonstration, as it runs again on its recording.
public struct RecordedDemo: RecordedProgram {
    /// The name under which demonstrations stand in recordings.
    public static let name = DemoSettings.name

    /// The app is the one of ``RecordedLens``.
    public static var properties: [ScreenProperty] { RecordedLens.properties }

    private let settings: DemoSettings
    private let addresses: LensAddresses

    /// An hour more than it streams.
    public var patience: Duration { .seconds(settings.seconds + 3600) }

    /// Reads how it was run.
    ///
    /// - Throws: `ReplayError`, `SessionError`.
    public init(_ session: SessionReader) throws {
        var recorded = session.manifest.parameters
        addresses = LensAddresses(takingFrom: &recorded)
        var settings = try session.configured(DemoSettings.self, by: recorded)
        settings.seed = session.manifest.seed
        self.settings = settings
    }

    /// Runs it again.
    public func run(on session: ReplayedSession) async throws {
        let maker = settings.input == nil ? LensPhone.camera(settings.options, seed: settings.seed) : nil
        let phone = try LensPhone(
            settings.options,
            addresses: addresses,
            transport: session.transport,
            camera: try session.camera(maker: maker),
            folder: session.folder,
            databasePath: session.folder + "/lens.sqlite",
            speech: settings.speaks ? try session.speech() : nil,
            storeCopy: session.folder + "/store"
        )
        _ = try await DemoScript(
            phone: phone,
            settings: settings,
            clock: session.clock,
            screenLog: session.screenLog,
            stopRequest: { await session.untilStopped() },
            tell: { _ in }
        ).run()
    }
}

extension LensAddresses {
    /// As text, for a recording.
    var parameters: [String: String] {
        [
            "gemini": gemini.authority, "geminiIsSecure": "\(gemini.isSecure)",
            "geminiVersion": gemini.version, "storeIdentity": storeIdentity,
        ].merging(store.parameters) { $1 }
    }

    /// Reads what ``parameters`` wrote, and removes it.
    init(takingFrom recorded: inout [String: String]) {
        let isSecure = recorded.removeValue(forKey: "geminiIsSecure") == "true"
        self.init(
            gemini: GeminiEndpoint(
                authority: recorded.removeValue(forKey: "gemini") ?? "",
                isSecure: isSecure,
                version: recorded.removeValue(forKey: "geminiVersion") ?? "v1beta"
            ),
            geminiKey: ReplayedSession.secret,
            store: LensStore(takingFrom: &recorded, key: ReplayedSession.secret),
            storeIdentity: recorded.removeValue(forKey: "storeIdentity") ?? Self.simulatedStore
        )
    }
}
