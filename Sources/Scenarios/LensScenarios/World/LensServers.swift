import AppKernel
import Foundation
public import GeminiServer
import Services
public import SupabaseServer

/// The services that the app talks to, before they are hosted anywhere.
public struct LensServers: Sendable {
    /// The model.
    public let gemini: GeminiServer
    /// The store.
    public let supabase: SupabaseServer

    /// The store's project, without a folder.
    private static let project = SupabaseProject.uploads(to: LensOptions.bucket)

    /// The app's key for the store, which is the same in all worlds: signing it once saves time.
    static let storeKey = Secret(project.anonymousKey)

    /// Makes the servers.
    ///
    /// - Parameters:
    ///   - options: Keys, script and scene.
    ///   - storeFolder: Where the store keeps its objects; `nil` for memory only.
    ///   - storeSecret: What the store signs its keys with; `nil` for the one of all simulations.
    /// - Throws: ``FolderUnusable``.
    public init(_ options: LensOptions, storeFolder: String? = nil, storeSecret: String? = nil) throws {
        var prepared: PreparedFrames?
        if case .prepared(let frames) = options.scene { prepared = frames }
        let inspector = FrameInspector(prepared: prepared)
        gemini = GeminiServer(options.gemini, script: options.script) { try inspector.inspect($0) }
        do {
            var project = Self.project
            project.folder = storeFolder
            if let storeSecret { project.secret = storeSecret }
            supabase = try SupabaseServer(project)
        } catch {
            guard let storeFolder else { throw error }
            throw FolderUnusable(path: storeFolder, error)
        }
    }
}

/// A folder in which something has to be kept cannot be read or written.
public struct FolderUnusable: Error, Sendable, Hashable, CustomStringConvertible {
    /// The folder.
    public var path: String
    /// What came back.
    public var detail: String

    /// What was tried, what came back, and what to do.
    public var description: String {
        "cannot keep files in \(path): \(detail). Choose another folder, or free some space."
    }
}

extension FolderUnusable {
    init(path: String, _ error: any Error) {
        self.init(
            path: path,
            detail: systemError(behind: error).map { unsafe String(cString: strerror($0)) } ?? "\(error)"
        )
    }
}
