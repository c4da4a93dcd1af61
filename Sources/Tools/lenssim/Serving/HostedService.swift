import EchoServer
import FlowServer
import GeminiServer
import LensScenarios
import LiveTransport
import PPPP
import SupabaseServer
import Transport

/// A service that `lenssim serve` has started, with all its sockets.
struct HostedService {
    private let peer: ServeCommand.Peer
    /// `nil` for a service of datagrams alone.
    private var listener: (any Listener)?
    private let supabase: SupabaseProject?
    private let keys: ServedKeys
    private let datagrams: HostedEcho?
    private let recording: GeminiRecording?
    private var camera: HostedCamera?
    /// Sessions of Gemini whose frames and texts are kept: as many as its journal shows.
    private static let sessionsKept = 100

    /// Starts a service, and returns once clients can use it.
    ///
    /// - Throws: `addressUnavailable`, `FolderUnusable` for the store's folder, or ``RefusedFaults``.
    static func start(
        _ peer: ServeCommand.Peer,
        _ options: LensOptions,
        storeFolder: String?,
        keys: ServedKeys,
        faults: ServiceFaultFile?,
        recording: GeminiRecording? = nil,
        dialect: CommandFraming = .cgi,
        relay: Bool = false,
        on sockets: LoopbackHost,
        at address: SocketAddress
    ) async throws -> HostedService {
        if peer == .camera {
            let camera = try await HostedCamera.start(
                dialect,
                password: keys.cameraPassword,
                faults: faults,
                relay: relay,
                on: sockets,
                at: address
            )
            return HostedService(
                peer: peer,
                supabase: nil,
                keys: keys,
                datagrams: nil,
                recording: nil,
                camera: camera
            )
        }
        if peer == .echo {
            let echo = EchoServer()
            let listener = try await sockets.listen(echo, at: address)
            do {
                let datagrams = try await HostedEcho.start(echo, on: sockets, at: address)
                return HostedService(
                    peer: peer,
                    listener: listener,
                    supabase: nil,
                    keys: keys,
                    datagrams: datagrams,
                    recording: nil
                )
            } catch {
                await listener.stop()
                throw error
            }
        }
        if let recording {
            return HostedService(
                peer: peer,
                listener: try await sockets.listen(recording.server(clientKey: keys.modelKey), at: address),
                supabase: nil,
                keys: keys,
                datagrams: nil,
                recording: recording
            )
        }
        if peer == .flow {
            let server = FlowServer(keys.flow)
            try faults?.arm(server.faults)
            return HostedService(
                peer: peer,
                listener: try await sockets.listen(server, at: address),
                supabase: nil,
                keys: keys,
                datagrams: nil,
                recording: nil
            )
        }
        var options = options
        options.gemini.keys = [keys.modelKey]
        options.gemini.sessionsKept = sessionsKept
        let servers = try LensServers(options, storeFolder: storeFolder, storeSecret: keys.storeSecret)
        try faults?.arm(peer == .gemini ? servers.gemini.faults : servers.supabase.faults)
        let server: any Server = peer == .gemini ? servers.gemini : servers.supabase
        return HostedService(
            peer: peer,
            listener: try await sockets.listen(server, at: address),
            supabase: peer == .supabase ? servers.supabase.project : nil,
            keys: keys,
            datagrams: nil,
            recording: nil
        )
    }

    /// What a client has to know.
    func facts(isSecure: Bool, authorityFile: String?) -> ServedFacts {
        if let camera {
            return ServedFacts(
                service: peer.rawValue,
                address: "udp://\(camera.address)",
                facts: camera.facts,
                authorityFile: nil
            )
        }
        let place = "://\(listener.map { "\($0.address)" } ?? "")"
        let address = (isSecure ? "https" : "http") + place
        let facts: [ServedFacts.Fact]
        switch peer {
        case .gemini:
            facts =
                [
                    .init(label: "base URL", key: "baseURL", value: address, isKnown: true),
                    .init(label: "key", key: "apiKey", value: keys.modelKey),
                ]
                + (recording == nil
                    ? [.init(label: "model", key: "model", value: LensOptions.modelName)] : [])
        case .supabase:
            facts = [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "bucket", key: "bucket", value: LensOptions.bucket),
                .init(label: "anon key", key: "anonKey", value: supabase?.anonymousKey ?? ""),
                .init(label: "service key", key: "serviceKey", value: supabase?.serviceKey ?? ""),
            ]
        case .flow:
            facts = [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "client ID", key: "clientID", value: keys.flow.clientID),
                .init(label: "client secret", key: "clientSecret", value: keys.flow.clientSecret),
                .init(label: "code", key: "verificationCode", value: keys.flow.verificationCode),
            ]
        case .echo:
            facts = [
                .init(label: "HTTP", key: "http", value: address, isKnown: true),
                .init(label: "WebSocket", key: "webSocket", value: (isSecure ? "wss" : "ws") + place),
                .init(label: "datagrams", key: "datagram", value: datagrams.map { "\($0.address)" } ?? ""),
            ]
        case .camera: facts = []
        }
        return ServedFacts(
            service: peer.rawValue,
            address: address,
            facts: facts,
            authorityFile: authorityFile
        )
    }

    /// Ends all connections and sockets.
    func stop() async {
        await listener?.stop()
        await camera?.stop()
        await datagrams?.stop()
        await recording?.stop()
    }
}

/// The datagram socket of the echo service, and the task that answers on it.
private struct HostedEcho {
    private let socket: any DatagramSocket
    private let answers: Task<Void, Never>

    static func start(
        _ echo: EchoServer,
        on sockets: some DatagramNetwork,
        at address: SocketAddress
    ) async throws -> HostedEcho {
        let socket = try await sockets.bind(address)
        return HostedEcho(socket: socket, answers: Task { await echo.echo(socket) })
    }

    /// Where its datagrams go.
    var address: Endpoint { socket.localAddress }

    func stop() async {
        await socket.close()
        await answers.value
    }
}
