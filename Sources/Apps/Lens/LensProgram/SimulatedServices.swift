import AppHost
import Foundation
import GeminiAPI
import GeminiServer
import LensScenarios
import LiveTransport
import Services
import SimulatedDevice
import SupabaseServer
import SupabaseStorage
import Transport

/// The services that are not given on the command line, simulated on free ports of this machine.
struct SimulatedServices: Sendable {
    /// Where the simulated model is; unused when another one is given.
    let gemini: GeminiEndpoint
    /// The key of the simulated model, which was drawn for this run and opens nothing else.
    let geminiKey: any SecretStore
    /// Address and key of the simulated store; `nil` where another one is given.
    let storeSecrets: (any SecretStore)?
    /// The Wi-Fi cameras; `nil` where others, or none, are wanted.
    let cameras: SimulatedWiFiCameras?
    private let listeners: [any Listener]

    static func start(
        _ choices: Household.Choices,
        in folder: AppFolder,
        on host: LoopbackHost
    ) async throws -> SimulatedServices {
        var options = LensOptions()
        let key = "simulated-" + random()
        options.gemini.keys = [key]
        options.script = GeminiScript(brain: AssistantBrain())
        let servers = try LensServers(
            options,
            storeFolder: try choices.store.folder(or: folder.store),
            storeSecret: random()
        )
        var listeners: [any Listener] = []
        do {
            func serve(_ server: any Server) async throws -> String {
                let listener = try await host.listen(server, at: SocketAddress(host: "127.0.0.1", port: 0))
                listeners.append(listener)
                return "\(listener.address)"
            }
            let gemini = choices.gemini == nil ? try await serve(servers.gemini) : ""
            var storeSecrets: InMemorySecretStore?
            if choices.store.isSimulated {
                storeSecrets = InMemorySecretStore([
                    SupabaseConfiguration.projectURLName: Secret(
                        "http://\(try await serve(servers.supabase))"
                    ),
                    SupabaseConfiguration.keyName: Secret(servers.supabase.project.anonymousKey),
                ])
            }
            var cameras: SimulatedWiFiCameras?
            if case .simulated = choices.wifiCamera { cameras = try await .start(on: host) }
            return SimulatedServices(
                gemini: GeminiEndpoint(authority: gemini, isSecure: false),
                geminiKey: InMemorySecretStore(["gemini_api_key": Secret(key)]),
                storeSecrets: storeSecrets,
                cameras: cameras,
                listeners: listeners
            )
        } catch {
            for listener in listeners { await listener.stop() }
            throw error
        }
    }

    /// Ends them.
    func stop() async {
        await cameras?.stop()
        for listener in listeners { await listener.stop() }
    }

    /// 128 bits of the system's generator, in hexadecimal.
    private static func random() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }
}
