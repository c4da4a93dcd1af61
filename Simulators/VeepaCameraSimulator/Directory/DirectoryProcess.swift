import PPPP
import Transport

/// What a directory server knows, and how it answers.
actor DirectoryProcess {
    /// Cameras that are known at most; the one that was not heard for longest goes first.
    private static let mostCameras = 1024
    /// After which time without a login a camera is offline; cameras repeat theirs about every eight seconds.
    private static let memory = Duration.seconds(30)

    private struct Camera {
        var wan: Endpoint
        var lan: Endpoint
        var seal: PacketSeal
        var heard: ContinuousClock.Instant
    }

    private let cipher: PacketCipher?
    private let socket: any DatagramSocket
    private let relay: Endpoint
    private var cameras: [DeviceID: Camera] = [:]

    init(_ cipher: PacketCipher?, _ socket: any DatagramSocket, relay: Endpoint) {
        (self.cipher, self.socket, self.relay) = (cipher, socket, relay)
    }

    func run() async {
        while let datagrams = try? await socket.receive(atMost: 64) {
            for datagram in datagrams { await take(datagram) }
        }
    }

    private func take(_ datagram: Datagram) async {
        var seal = PacketSeal(cipher)
        guard let packet = seal.open(datagram.bytes) else { return }
        let source = datagram.source
        for (packet, camera) in answers(to: packet, from: source, seal) {
            if let camera {
                try? await socket.send(camera.seal.close(packet), to: camera.wan)
            } else {
                try? await socket.send(seal.close(packet), to: source)
            }
        }
    }

    /// What to answer, and what to send to a camera.
    private func answers(
        to packet: Packet,
        from source: Endpoint,
        _ seal: PacketSeal
    ) -> [(Packet, to: Camera?)] {
        switch packet {
        case .hello: return [(.helloAck(source), nil)]
        case .deviceLogin(let id, let lan):
            cameras[id] = Camera(wan: source, lan: lan, seal: seal, heard: .now)
            forgetOldest()
            return [(.deviceLoginAck(.accepted), nil)]
        case .peerRequest(let id, let lan):
            guard let camera = present(id) else { return [(.peerRequestAck(verdict(id)), nil)] }
            let ways: [(Packet, to: Camera?)] = [
                (.punchTo(camera.wan), nil), (.punchTo(camera.lan), nil), (.punchTo(source), camera),
                (.punchTo(lan), camera),
            ]
            return [(.peerRequestAck(.accepted), nil)] + ways
        case .relayListRequest: return [(.relayList([relay]), nil)]
        case .relayRequest(let id, let meeting, let token):
            guard meeting.address == relay.address, let camera = present(id) else {
                return [(.relayRequestAck(.offline), nil)]
            }
            let invitation = Packet.relayTo(meeting, token: token)
            return [(.relayRequestAck(.accepted), nil), (invitation, nil), (invitation, camera)]
        default: return []
        }
    }

    private func present(_ id: DeviceID) -> Camera? {
        cameras[id].flatMap { $0.heard + Self.memory > .now ? $0 : nil }
    }

    private func verdict(_ id: DeviceID) -> Packet.Verdict { cameras[id] == nil ? .unknown : .offline }

    private func forgetOldest() {
        guard cameras.count > Self.mostCameras,
            let oldest = cameras.min(by: { ($0.value.heard, $0.value.wan) < ($1.value.heard, $1.value.wan) })
        else { return }
        cameras[oldest.key] = nil
    }
}
