import PPPP
import Transport

/// A relay: gives out ports, and passes on what two sides that meet at one send each other.
actor RelayProcess {
    /// Ports that are given out at a time.
    private static let mostMeetings = 64

    private let cipher: PacketCipher?
    private let socket: any DatagramSocket
    private let host: any DatagramNetwork
    private let address: String
    private var meetings: [(socket: any DatagramSocket, task: Task<Void, Never>)] = []
    /// The port that each client was given, so that a request that is repeated gets the same.
    private var given: [Endpoint: (token: UInt32, port: UInt16)] = [:]
    private(set) var passedOn = 0

    init(
        _ cipher: PacketCipher?,
        _ socket: any DatagramSocket,
        on host: any DatagramNetwork,
        at address: String
    ) {
        (self.cipher, self.socket, self.host, self.address) = (cipher, socket, host, address)
    }

    func run() async {
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

    private func give(to client: Endpoint) async -> (UInt32, UInt16)? {
        if let given = given[client] { return given }
        guard meetings.count < Self.mostMeetings,
            let socket = try? await host.bind(SocketAddress(host: address, port: 0))
        else { return nil }
        let token = UInt32.random(in: 1 ... .max)
        let place = (token: token, port: UInt16(clamping: socket.localAddress.port))
        given[client] = place
        meetings.append((socket, Task { await self.meet(at: socket, token) }))
        return place
    }

    private func meet(at socket: any DatagramSocket, _ token: UInt32) async {
        var meeting = Meeting(token: token)
        while let datagrams = try? await socket.receive(atMost: 64) {
            for datagram in datagrams {
                var seal = PacketSeal(cipher)
                if case .relayPacket(token, let id, let isDevice) = seal.open(datagram.bytes) {
                    for (bytes, side) in meeting.join(datagram.source, seal, id, isDevice: isDevice) {
                        try? await socket.send(bytes, to: side)
                    }
                } else if let other = meeting.other(than: datagram.source) {
                    passedOn += 1
                    try? await socket.send(datagram.bytes, to: other)
                }
            }
        }
    }

    func closeMeetings() async {
        for (socket, task) in meetings {
            task.cancel()
            await task.value
            await socket.close()
        }
        meetings = []
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
