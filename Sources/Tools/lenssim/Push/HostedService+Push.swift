import CommandKit
import Foundation
import HTTP2Host
import LiveTransport
import PushServer
import PushWire
import Transport

extension HostedService {
    /// Starts a push service: providers speak HTTP/2 with it, and devices hold WebSockets at another port.
    ///
    /// - Parameters:
    ///   - providers: Hosts the interface for providers.
    ///   - sockets: Hosts that for devices.
    ///   - address: Where providers reach it.
    /// - Throws: `addressUnavailable`, ``RefusedFaults``, ``UnusableProviderKey``.
    static func startPush(
        _ arguments: PushArguments,
        faults: ServiceFaults?,
        isSecure: Bool,
        on providers: HTTP2Host,
        _ sockets: LoopbackHost,
        at address: SocketAddress
    ) async throws -> HostedService {
        let (service, keyFile, isTemporary) = try arguments.service()
        @Sendable func removeKey() {
            if isTemporary { try? FileManager.default.removeItem(atPath: keyFile) }
        }
        do {
            try faults?.arm(service.faults)
            let provider = try await providers.listen(service.providerSide, at: address)
            let place = SocketAddress(host: address.host, port: arguments.devicePort ?? 0)
            let device: any Listener
            do { device = try await sockets.listen(service.deviceSide, at: place) } catch {
                await provider.stop()
                throw error
            }
            let url = "\(isSecure ? "https" : "http")://\(provider.address)"
            let devices = "\(isSecure ? "wss" : "ws")://\(device.address)\(PushServer.devicePath)"
            let facts: [ServedFacts.Fact] = [
                .init(label: "URL for providers", key: "url", value: url, isKnown: true),
                .init(label: "URL for devices", key: "deviceURL", value: devices),
                .init(
                    label: "topics",
                    key: "topics",
                    value: service.project.topics.sorted().joined(separator: ",")
                ),
                .init(label: "environment", key: "environment", value: service.project.environment.rawValue),
                .init(label: "team ID", key: "teamID", value: service.project.teamID),
                .init(label: "key ID", key: "keyID", value: PushArguments.keyID),
                .init(label: "private key", key: "keyFile", value: keyFile),
            ]
            return HostedService(
                facts: ServedFacts(service: "push", address: url, facts: facts + (faults?.facts ?? [])),
                endings: [{ await provider.stop() }, { await device.stop() }, { removeKey() }]
            )
        } catch {
            removeKey()
            throw error
        }
    }
}
