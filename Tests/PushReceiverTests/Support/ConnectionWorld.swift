import Conformance
import FaultConformance
import PushConnection
import PushProvider
import PushReceiverConformance
import PushServer
import PushWire
import Services
import SignedToken
import SimulatedDevice
import SimulatedTransport
import TestSupport
import Transport

/// A push service with one device and a provider: on a simulated network, or on sockets of this machine.
final class ConnectionWorld: Sendable {
    static let topic = "dev.example.app"
    private static let (team, key) = ("TEAM000001", "KEY0000001")

    let service: PushServer
    let provider: PushProvider
    let client: any WebSocketClient
    let address: SocketAddress
    let scheme: String
    private let host: any ServerHost
    private let listener: Box<(any Listener)?>
    private let end: @Sendable () async -> Void
    /// The answers that the device's person gives, and what it has shown.
    let isAllowed: Bool
    let shown = Box<[PushNotification]>([])
    let secrets = InMemorySecretStore()
    let last = Box<PushMessage?>(nil)

    init(
        _ service: PushServer,
        _ provider: PushProvider,
        _ client: any WebSocketClient,
        _ scheme: String,
        _ host: any ServerHost,
        _ address: SocketAddress,
        _ listener: (any Listener)?,
        _ isAllowed: Bool,
        end: @escaping @Sendable () async -> Void
    ) {
        (self.service, self.provider, self.client, self.scheme) = (service, provider, client, scheme)
        (self.host, self.address, self.listener, self.end) = (host, address, Box(listener), end)
        self.isAllowed = isAllowed
    }

    static func project(_ key: ES256PublicKey) -> PushProject {
        PushProject(teamID: team, keys: [PushProject.Key(id: Self.key, publicKey: key)], topics: [topic])
    }

    static func credentials(_ signer: any TokenSigner) -> PushProvider.Credentials {
        PushProvider.Credentials(teamID: team, keyID: key, signer: signer)
    }

    /// A world inside the current simulation.
    static func simulated(
        allowing isAllowed: Bool = true,
        link: LinkConditions = LinkConditions(latency: .constant(.milliseconds(5)))
    ) async throws -> ConnectionWorld {
        let signer = RepeatableSigner([UInt8](repeating: 3, count: 32))
        let service = PushServer(project(try signer.publicKey()))
        let network = SimulatedNetwork(defaults: link)
        let host = network.host("push")
        _ = try await host.listen(service.providerSide, at: SocketAddress(host: "push", port: 80))
        let listener = try await host.listen(service.deviceSide, at: SocketAddress(host: "push", port: 81))
        let provider = PushProvider(
            scheme: "http",
            authority: "push:80",
            topic: topic,
            credentials: credentials(signer),
            over: network.host("provider")
        )
        let phone = network.host("phone")
        return ConnectionWorld(service, provider, phone, "ws", host, listener.address, listener, isAllowed) {}
    }

    /// A world on a network that fails.
    static func failing(_ world: FaultyWorld, allowing isAllowed: Bool) async throws -> ConnectionWorld {
        let signer = RepeatableSigner([UInt8](repeating: 3, count: 32))
        let service = PushServer(project(try signer.publicKey()))
        _ = await world.serve(service.providerSide, on: "push", port: 80)
        let devices = await world.serve(service.deviceSide, on: "push", port: 81)
        let provider = PushProvider(
            scheme: "http",
            authority: "push:80",
            topic: topic,
            credentials: credentials(signer),
            over: world.network.host("provider")
        )
        let (phone, host) = (world.network.host("phone"), world.network.host("push"))
        return ConnectionWorld(service, provider, phone, "ws", host, devices, nil, isAllowed) {}
    }

    /// The receiver of the device; another one of the same secrets is the same device after a restart.
    func makeConnection() throws -> PushConnection {
        let host = scheme == "wss" ? "localhost" : "push"
        guard let place = PushServiceAddress("\(scheme)://\(host):\(address.port)\(PushServer.devicePath)")
        else {
            throw ConformanceFailure("an address can be read", saw: "that it cannot")
        }
        let isAllowed = isAllowed
        return PushConnection(
            PushConnection.Settings(service: place, topic: Self.topic),
            over: client,
            memory: secrets
        ) {
            isAllowed
        } show: { [shown] notification in
            shown.append(notification)
        }
    }

    func send(_ message: PushMessage) async throws {
        last.set(message)
        let outcome = await provider.send(message)
        guard outcome == .accepted else {
            // The provider is not on trial.
            if isUnderFaults { throw GaveUp("the provider: \(outcome)") }
            throw ConformanceFailure("the service takes a notification", saw: "\(outcome)")
        }
    }

    func token() throws -> String {
        guard let token = service.tokens.first else {
            throw ConformanceFailure("the device has a token", saw: "none")
        }
        return token
    }

    /// Takes the devices' server down, and brings it back after three seconds.
    func interrupt() async throws {
        await listener.value?.stop()
        let (host, address, service, listener) = (host, address, service, listener)
        Task {
            try? await Task.sleep(for: .seconds(3))
            listener.set(try? await host.listen(service.deviceSide, at: address))
        }
    }

    func stop() async {
        await listener.value?.stop()
        await end()
    }
}

/// The device's receiver, with its world.
struct ConnectedReceiver: PushReceiver {
    let world: ConnectionWorld
    let connection: PushConnection

    func requestAuthorization() async -> Bool { await connection.requestAuthorization() }
    func deviceTokens() -> AsyncStream<[UInt8]> { connection.deviceTokens() }
    func arrivals() -> AsyncStream<PushNotification> { connection.arrivals() }
    func taps() -> AsyncStream<PushNotification> { connection.taps() }
}

/// Our connection to our service, wherever its world is.
struct ConnectionHarness: PushReceiverHarness {
    var capabilities = Set(PushReceiverCapability.allCases)
    let makeWorld: @Sendable (_ isAllowed: Bool) async throws -> ConnectionWorld

    func makeReceiver(allowing isAllowed: Bool) async throws -> ConnectedReceiver {
        let world = try await makeWorld(isAllowed)
        return ConnectedReceiver(world: world, connection: try world.makeConnection())
    }

    func send(_ notification: PushNotification, to receiver: ConnectedReceiver) async throws {
        let world = receiver.world
        try await world.send(
            PushMessage(token: try world.token(), id: notification.id, payload: notification.payload)
        )
    }

    func tap(_ notification: PushNotification, on receiver: ConnectedReceiver) async throws {
        receiver.connection.tap(notification)
    }

    func shown(on receiver: ConnectedReceiver) async throws -> [String] {
        receiver.world.shown.value.map(\.id)
    }

    func changeToken(of receiver: ConnectedReceiver) async throws {
        receiver.world.service.renew(try receiver.world.token())
    }

    func interrupt(_ receiver: ConnectedReceiver) async throws { try await receiver.world.interrupt() }

    func repeatLast(to receiver: ConnectedReceiver) async throws {
        if let last = receiver.world.last.value { try await receiver.world.send(last) }
    }

    func takeDown(_ receiver: ConnectedReceiver) async {
        await receiver.connection.shutdown()
        await receiver.world.stop()
    }
}
