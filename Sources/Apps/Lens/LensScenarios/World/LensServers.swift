import GeminiAPI
public import GeminiServer
import GeminiSight
import Lens
import ScenarioKit
public import Services
public import SupabaseServer
public import Transport

/// The services that the app talks to, before they are hosted anywhere.
public struct LensServers: Sendable {
    /// The model.
    public let gemini: GeminiServer
    /// The store.
    public let supabase: SupabaseServer

    /// The store's project, without a folder.
    private static let project = SupabaseProject.uploads(to: LensOptions.bucket)

    /// The app's key for the store, which is the same in all worlds: signing it once saves time.
    public static let storeKey: Secret = Secret(project.anonymousKey)

    /// Makes the servers.
    ///
    /// - Parameters:
    ///   - options: Keys, script and scene.
    ///   - storeFolder: Where the store keeps its objects; `nil` for memory only.
    ///   - storeSecret: What the store signs its keys with; `nil` for the one of all simulations.
    /// - Throws: `FolderUnusable`.
    public init(_ options: LensOptions, storeFolder: String? = nil, storeSecret: String? = nil) throws {
        let inspector =
            if case .prepared(let frames) = options.scene { FrameInspector(known: frames.inspection) } else {
                FrameInspector()
            }
        gemini = GeminiServer(options.gemini, script: options.script) { try inspector.inspect($0) }
        do {
            var project = Self.project
            project.folder = storeFolder
            // On a disk of one's own there is room for whatever the app uploads.
            if storeFolder != nil { project.sizeLimit = Self.ownSizeLimit }
            if let storeSecret { project.secret = storeSecret }
            supabase = try SupabaseServer(project)
        } catch {
            guard let storeFolder else { throw error }
            throw FolderUnusable(path: storeFolder, error)
        }
    }
}

extension LensServers {
    /// The most bytes of an object in a store of one's own: more than any film on a disk.
    static let ownSizeLimit = 1 << 40

    /// The servers by the names of their hosts.
    public var peers: [String: any Server] { ["gemini": gemini, "supabase": supabase] }
}

extension LensAddresses {
    /// Where the simulated services are, with keys that they accept.
    ///
    /// - Parameters:
    ///   - authority: The host and the port of the service of a name.
    ///   - store: Another store than the simulated Supabase.
    public init(_ authority: (String) -> String, store: LensStore? = nil) {
        self.init(
            gemini: GeminiEndpoint(authority: authority("gemini"), isSecure: false),
            geminiKey: Secret(LensOptions.modelKey),
            store: store ?? .supabase(address: "http://\(authority("supabase"))", key: LensServers.storeKey)
        )
    }
}
