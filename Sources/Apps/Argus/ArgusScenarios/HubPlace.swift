internal import ArgusHub
internal import MulticastDNS
internal import Services
internal import SimulatedTransport
internal import Synchronization
internal import Transport

/// A hub's place on the local network: it comes, withdraws, dies, and moves to another port.
final class HubPlace: Sendable {
    /// What all hubs call themselves: nobody changes it.
    static let name = "Argus Hub"

    /// How a hub leaves the network.
    enum Departure: CaseIterable {
        /// It withdraws its advertisement.
        case goodbye
        /// It says nothing, and refuses connections.
        case death
        /// It refuses connections, and the responder of its host goes on to announce it, as a daemon of its own does.
        case crash
    }

    private static let firstPort = 8_000

    let hub: ArgusHub
    /// The tokens of the hub, whichever way they go.
    let ledger = TokenLedger()
    /// The way in at this place.
    let gate: HubGate
    private let id: String
    private let state = Mutex(State())

    private struct State {
        var host: SimulatedHost?
        var listener: (any Listener)?
        var advertisement: (any ServiceAdvertisement)?
        var port = HubPlace.firstPort
    }

    init(_ hub: ArgusHub, id: String) {
        (self.hub, self.id) = (hub, id)
        gate = HubGate(hub, ledger)
    }

    /// Whether it is there.
    var isThere: Bool { state.withLock { $0.listener != nil } }

    /// Whether it has ever been there.
    var hasBeenThere: Bool { state.withLock { $0.port > Self.firstPort } }

    /// Takes its host, at which it is not there yet.
    func stand(at host: SimulatedHost) { state.withLock { $0.host = host } }

    /// Comes to the network, at another port than the last time.
    func arrive() async throws {
        let (host, port) = state.withLock { state in
            // What a crash has left announced ends here.
            if state.listener == nil { (state.port, state.advertisement) = (state.port + 1, nil) }
            return (state.host, state.port)
        }
        guard let host, !isThere else { return }
        let listener = try await host.listen(gate, at: SocketAddress(host: host.name, port: port))
        guard let type = ServiceType("_argusai._tcp") else { preconditionFailure("this is a type") }
        let advertisement = try MulticastDNSAdvertiser(on: host, hostName: host.name)
            .advertise(ServiceOffer(name: Self.name, type: type, port: port, attributes: ["id": id]))
        state.withLock { ($0.listener, $0.advertisement) = (listener, advertisement) }
    }

    /// Leaves the network; where it is not there it can still end what a crash has left announced.
    func leave(_ departure: Departure) async {
        let (listener, advertisement) = state.withLock { state in
            defer {
                state.listener = nil
                if departure != .crash { state.advertisement = nil }
            }
            return (state.listener, state.advertisement)
        }
        if departure == .goodbye { await advertisement?.withdraw() }
        await listener?.stop()
    }

    /// Gives the port that it had before the present one to somebody else, who says nothing.
    func giveOldPort(to server: any Server) async throws -> any Listener {
        let (host, port) = state.withLock { ($0.host, $0.port) }
        guard let host else { preconditionFailure("it stands at no host") }
        return try await host.listen(server, at: SocketAddress(host: host.name, port: port - 1))
    }
}
