public import GeminiServer
public import SupabaseServer

/// The services that the app talks to, before they are hosted anywhere.
public struct LensPeers: Sendable {
    /// The model.
    public let gemini: GeminiServer
    /// The store.
    public let supabase: SupabaseServer

    /// Makes the peers.
    ///
    /// - Parameter storeFolder: Where the store keeps its objects; `nil` for memory only.
    /// - Throws: When the folder cannot be used, or TurboJPEG has no memory.
    public init(_ options: LensOptions, storeFolder: String? = nil) throws {
        let inspector = try FrameInspector()
        gemini = GeminiServer(options.gemini, script: options.script) { try inspector.inspect($0) }
        supabase = try SupabaseServer(.uploads(to: LensOptions.bucket, folder: storeFolder))
    }
}
