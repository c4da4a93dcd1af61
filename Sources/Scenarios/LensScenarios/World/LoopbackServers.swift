import GeminiLive
public import LiveTransport
import Services
import SupabaseServer
import Transport

/// How the app reaches its servers.
public enum LensBinding: Sendable {
    /// The simulated network of the current simulation.
    case simulated
    /// Real sockets of this machine, in real time.
    case loopback(LoopbackServers)

    /// What ``LensWorld/start(_:)`` takes.
    @TaskLocal public static var current: LensBinding = .simulated
}

/// The servers behind real sockets of this machine.
public final class LoopbackServers: Sendable {
    /// The servers.
    public let servers: LensServers
    /// Where the app finds them, with keys that they accept.
    public let addresses: LensAddresses
    /// The app's way to them.
    public let transport: LiveTransport
    private let listeners: [any Listener]

    /// Hosts both servers on free ports.
    ///
    /// - Throws: `TransportError`, and what `LensServers` throws.
    public static func start(_ options: LensOptions, storeFolder: String? = nil) async throws
        -> LoopbackServers
    {
        let servers = try LensServers(options, storeFolder: storeFolder)
        let host = try LoopbackHost()
        let gemini = try await host.listen(servers.gemini, at: .loopback())
        let supabase = try await host.listen(servers.supabase, at: .loopback())
        return LoopbackServers(
            servers: servers,
            addresses: LensAddresses(
                gemini: GeminiEndpoint(authority: "\(gemini.address)", isSecure: false),
                geminiKey: Secret(LensOptions.modelKey),
                supabase: "http://\(supabase.address)",
                supabaseKey: LensServers.storeKey
            ),
            transport: try LiveTransport(),
            listeners: [gemini, supabase]
        )
    }

    private init(
        servers: LensServers,
        addresses: LensAddresses,
        transport: LiveTransport,
        listeners: [any Listener]
    ) {
        self.servers = servers
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
