import GeminiAPI
public import LiveTransport
import ScenarioKit
import Services
import Transport

/// The app's services behind real sockets of this machine.
public struct LoopbackServers: Sendable {
    /// The servers.
    public let servers: LensServers
    /// Where the app finds them, with keys that they accept.
    public let addresses: LensAddresses
    private let peers: LoopbackPeers

    /// The app's way to them.
    public var transport: LiveTransport { peers.transport }

    /// Hosts both servers on free ports.
    ///
    /// - Throws: `TransportError`, and what `LensServers` throws.
    public static func start(_ options: LensOptions, storeFolder: String? = nil) async throws
        -> LoopbackServers
    {
        let servers = try LensServers(options, storeFolder: storeFolder)
        return LoopbackServers(try await LoopbackPeers.start(servers.peers))
    }

    init(_ peers: LoopbackPeers) {
        self.peers = peers
        servers = LensServers(peers)
        addresses = LensAddresses(
            gemini: GeminiEndpoint(authority: "\(peers.address(of: "gemini"))", isSecure: false),
            geminiKey: Secret(LensOptions.modelKey),
            supabase: "http://\(peers.address(of: "supabase"))",
            supabaseKey: LensServers.storeKey
        )
    }

    /// Ends the servers and the app's transport.
    public func stop() async { await peers.stop() }
}

extension LensServers {
    /// The servers by the names of their hosts.
    var peers: [String: any Server] { ["gemini": gemini, "supabase": supabase] }

    /// The servers that are hosted under the names of ``peers``.
    init(_ peers: LoopbackPeers) {
        self.init(gemini: peers.server("gemini"), supabase: peers.server("supabase"))
    }
}
