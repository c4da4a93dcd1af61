import PPPP
import SimulatedTransport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// A phone and a camera at two places, each behind a router, and a directory on the Internet between them.
struct RemoteWorld {
    static let key = "vstarcam2019"
    let network: SimulatedNetwork
    let phone: SimulatedHost
    let home: SimulatedHost
    let server: SimulatedHost
    let routers: [SimulatedNAT]
    let simulator: VeepaCameraSimulator
    let directory: RunningVeepaDirectory
    let credentials: VeepaCredentials

    /// - Parameter id: The camera's; the client always looks for that of `VeepaWorld`.
    init(
        phone phoneNAT: NATBehaviour,
        home homeNAT: NATBehaviour,
        loss: Double = 0,
        id: DeviceID = VeepaWorld.id
    ) async throws {
        let conditions = LinkConditions(latency: .uniform(.milliseconds(5) ... .milliseconds(40)), loss: loss)
        network = SimulatedNetwork(defaults: conditions)
        let prefix = try #require(IPSubnet("192.168.1.0/24"))
        let places = [
            network.subnet("office", prefix, behind: phoneNAT),
            network.subnet("home", prefix, behind: homeNAT),
        ]
        routers = places.compactMap(\.nat)
        phone = network.host("phone", on: places[0])
        home = network.host("camera", on: places[1])
        server = network.host("server")
        let address = try #require(
            try await server.interfaces().last?.addresses.first { $0.address.version == .v4 }
        )
        .address
        directory = try await VeepaDirectory(key: Self.key).start(on: server)
        var settings = VeepaCameraSettings(id: id, password: VeepaWorld.password)
        settings.directories = [Endpoint(address, port: 32_100)]
        simulator = VeepaCameraSimulator(settings) { TestFrame.jpeg($0, bytes: 3_000) }
        var credentials = VeepaWorld.credentials
        credentials.service = ServiceParameter(servers: [address], key: Self.key)
        self.credentials = credentials
    }

    func client() -> VeepaCamera {
        let credentials = credentials
        return VeepaCamera(network: phone) { credentials }
    }
}
