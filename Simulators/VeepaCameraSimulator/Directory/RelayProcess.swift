import PPPP
import Transport

/// A relay: gives out ports, and passes on what two sides that meet at one send each other.
actor RelayProcess {
    /// Ports that are given out at a time; who asks for another gets no answer.
    private static let mostMeetings = 64

    /// After which silence a port is taken back: sessions ask every second whether the other side is there.
    private static let silence = Duration.seconds(30)
    private static let sweepInterval = Duration.seconds(5)

    /// A port that was given out.
    private struct Place {
        var socket: any DatagramSocket
        var task: Task<Void, Never>
        /// Who asked for it.
        var client: Endpoint
        var heard: ContinuousClock.Instant
    }

    private let cipher: PacketCipher?
    private let socket: any DatagramSocket
    private let host: any DatagramNetwork
    private let address: String
    /// By their tokens.
    private var places: [UInt32: Place] = [:]
    /// The port that each client was given, so that a request that is repeated gets the same.
    private var given: [Endpoint: UInt32] = [:]
    private(set) var passedOn = 0

    init(
        _ cipher: PacketCipher?,
        _ socket: any DatagramSocket,
        on host: any DatagramNetwork,
        at address: String
    ) {
        (self.cipher, self.socket, self.host, self.address) = (cipher, socket, host, address)
    }

    /// Ports that are given out now.
    var openMeetings: Int { places.count }

    /// Serves until the task is cancelled or the socket is closed.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            group.addTask { await self.sweep() }
            await group.next()
            group.cancelAll()
        }
    }

    private func read() async {
        while let datagrams = try? await socket.receive(atMost: 64) {
            for datagram in datagrams {
                var seal = PacketSeal(cipher)
                let packet = seal.open(datagram.bytes)
                if packet == .relayHello {
                    try? await socket.send(seal.close(.relayHelloAck), to: datagram.source)
                } else if packet == .relayPort, let (token, port) = await give(to: datagram.source) {
                    let answer = Packet.relayPortAck(token: token, port: port)
                    try? await socket.send(seal.close(answer), to: datagram.source)
                }
            }
        }
    }

    /// Takes ports back at which nothing has come for long.
    private func sweep() async {
        while (try? await Task.sleep(for: Self.sweepInterval)) != nil {
            let now = ContinuousClock.now
            let silent = places.filter { $0.value.heard + Self.silence <= now }.keys.sorted()
            // Each takes its time, in which something may come at the next.
            for token in silent where places[token].map({ $0.heard + Self.silence <= .now }) == true {
                await free(token)
            }
        }
    }

    private func free(_ token: UInt32) async {
        guard let place = places.removeValue(forKey: token) else { return }
        given[place.client] = nil
        place.task.cancel()
        await place.task.value
        await place.socket.close()
    }

    private func give(to client: Endpoint) async -> (UInt32, UInt16)? {
        if let token = given[client], let place = places[token] {
            return (token, Self.port(of: place.socket))
        }
        guard places.count < Self.mostMeetings,
            let socket = try? await host.bind(SocketAddress(host: address, port: 0))
        else { return nil }
        var token = UInt32.random(in: 1 ... .max)
        while places[token] != nil { token = .random(in: 1 ... .max) }
        given[client] = token
        let task = Task { [token] in await self.meet(at: socket, token) }
        places[token] = Place(socket: socket, task: task, client: client, heard: .now)
        return (token, Self.port(of: socket))
    }

    private static func port(of socket: any DatagramSocket) -> UInt16 {
        UInt16(clamping: socket.localAddress.port)
    }

    private func meet(at socket: any DatagramSocket, _ token: UInt32) async {
        var meeting = Meeting(token: token)
        while let datagrams = try? await socket.receive(atMost: 64) {
            for datagram in datagrams {
                var seal = PacketSeal(cipher)
                if case .relayPacket(token, let id, let isDevice) = seal.open(datagram.bytes) {
                    places[token]?.heard = .now
                    for (bytes, side) in meeting.join(datagram.source, seal, id, isDevice: isDevice) {
                        try? await socket.send(bytes, to: side)
                    }
                } else if let other = meeting.other(than: datagram.source) {
                    places[token]?.heard = .now
                    passedOn += 1
                    try? await socket.send(datagram.bytes, to: other)
                }
            }
        }
    }

    func closeMeetings() async {
        for token in places.keys.sorted() { await free(token) }
    }

    /// Both sides of one port.
    private struct Meeting {
        let token: UInt32
        private var device: (Endpoint, PacketSeal)?
        private var client: (Endpoint, PacketSeal)?

        init(token: UInt32) { self.token = token }

        /// Takes one side in, and returns what to send once both are there.
        mutating func join(
            _ source: Endpoint,
            _ seal: PacketSeal,
            _ id: DeviceID,
            isDevice: Bool
        ) -> [([UInt8], Endpoint)] {
            // Who came first stays: the token is no secret.
            if isDevice { device = device ?? (source, seal) } else { client = client ?? (source, seal) }
            guard let device, let client else { return [] }
            return [device, client].map { ($0.1.close(.relayReady(id)), $0.0) }
        }

        func other(than source: Endpoint) -> Endpoint? {
            guard let device, let client else { return nil }
            return source == device.0 ? client.0 : source == client.0 ? device.0 : nil
        }
    }
}
