import GeminiLive
public import LiveTransport
import Services
import SupabaseServer
import Transport

/// Through which door the app meets its peers.
public enum LensDoor: Sendable {
    /// The simulated network of the current simulation.
    case simulated
    /// Real sockets of this machine, in real time.
    case loopback(LoopbackPeers)

    /// The door that ``LensWorld/start(_:)`` takes.
    @TaskLocal public static var current: LensDoor = .simulated
}

/// The peers behind real sockets of this machine.
public final class LoopbackPeers: Sendable {
    /// The peers.
    public let peers: LensPeers
    /// Where the app finds them, with keys that they accept.
    public let addresses: LensAddresses
    /// The app's way to them.
    public let transport: LiveTransport
    private let listeners: [any Listener]

    /// Hosts both peers on free ports.
    ///
    /// - Throws: `TransportError`, and what ``LensPeers/init(_:storeFolder:)`` throws.
    public static func start(_ options: LensOptions, storeFolder: String? = nil) async throws -> LoopbackPeers
    {
        let peers = try LensPeers(options, storeFolder: storeFolder)
        let host = try LoopbackHost()
        let gemini = try await host.listen(peers.gemini, at: .loopback())
        let supabase = try await host.listen(peers.supabase, at: .loopback())
        return LoopbackPeers(
            peers: peers,
            addresses: LensAddresses(
                gemini: GeminiEndpoint(authority: "\(gemini.address)", isSecure: false),
                geminiKey: Secret(LensOptions.modelKey),
                supabase: "http://\(supabase.address)",
                supabaseKey: Secret(peers.supabase.project.anonymousKey)
            ),
            transport: try LiveTransport(),
            listeners: [gemini, supabase]
        )
    }

    private init(
        peers: LensPeers,
        addresses: LensAddresses,
        transport: LiveTransport,
        listeners: [any Listener]
    ) {
        self.peers = peers
        self.addresses = addresses
        self.transport = transport
        self.listeners = listeners
    }

    /// Ends the servers and the app's transport.
    public func stop() async {
        await transport.shutdown()
        for listener in listeners { await listener.stop() }
    }
}
