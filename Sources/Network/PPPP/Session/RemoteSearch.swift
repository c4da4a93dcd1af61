import Transport

/// The part of a search that asks directory servers and relays.
///
/// What a directory says counts from directories alone, and what a relay says from relays that a directory has named; the tokens of
/// both must agree. Order and times follow a public client for O-KAM cameras.
struct RemoteSearch: Sendable {
    typealias Outgoing = (packet: Packet, destination: Endpoint)

    private static let requestInterval = Duration.seconds(1)
    private static let meetingInterval = Duration.milliseconds(500)
    /// How long both sides try to reach each other before a relay is asked for.
    private static let relayAfter = Duration.seconds(5)
    /// The most relays that are tried.
    private static let mostRelays = 8
    /// The most requests to probe addresses that are followed: whoever forges a directory's address names any.
    private static let mostProbes = 8

    private let id: DeviceID
    private let directories: [Endpoint]
    private let local: Endpoint
    private let relayStart: ContinuousClock.Instant
    private var nextRequest: ContinuousClock.Instant
    private var nextMeeting: ContinuousClock.Instant
    private var knowsAddress = false
    private var probes = 0
    private var candidates: [Endpoint] = []
    private var relays: [Endpoint] = []
    /// The relay that has answered first.
    private var relay: Endpoint?
    private var token: UInt32?
    /// The port of the relay at which the camera is met; asked for until both sides are there.
    private var allocated: Endpoint?
    /// Where the camera is met, once the directory has said so.
    private(set) var meeting: Endpoint?
    private(set) var verdict: Packet.Verdict?

    init(_ id: DeviceID, _ directories: [Endpoint], local: Endpoint, now: ContinuousClock.Instant) {
        (self.id, self.directories, self.local) = (id, directories, local)
        (nextRequest, nextMeeting, relayStart) = (now, now, now + Self.relayAfter)
    }

    /// The packets to send now.
    mutating func tick(at now: ContinuousClock.Instant) -> [Outgoing] {
        guard !directories.isEmpty else { return [] }
        var due: [Outgoing] = []
        if now >= nextRequest {
            nextRequest = now + Self.requestInterval
            for directory in directories {
                if !knowsAddress { due.append((.hello, directory)) }
                due.append((.peerRequest(id, lan: local), directory))
            }
            if now >= relayStart { due += relayRequests() }
        }
        if let meeting, let token, now >= nextMeeting {
            nextMeeting = now + Self.meetingInterval
            let packet = Packet.relayPacket(token: token, id, isDevice: false)
            due.append((packet, meeting))
            due += directories.map { (packet, $0) }
        }
        return due
    }

    private func relayRequests() -> [Outgoing] {
        guard let relay else {
            return directories.map { (.relayListRequest(id), $0) } + relays.map { (.relayHello, $0) }
        }
        guard let allocated, let token else { return [(.relayPort, relay)] }
        // Also when this side knows where to meet: the camera may not.
        return directories.map { (.relayRequest(id, relay: allocated, token: token), $0) }
    }

    /// Takes a packet from anybody, and returns what to send at once.
    mutating func receive(
        _ packet: Packet,
        from source: Endpoint,
        at now: ContinuousClock.Instant
    ) -> [Outgoing] {
        switch packet {
        case .helloAck where directories.contains(source): knowsAddress = true
        case .peerRequestAck(let verdict) where directories.contains(source): self.verdict = verdict
        case .punchTo(let address) where directories.contains(source): candidates.append(address)
        case .helloTo(let one, let other)
        where (directories.contains(source) || relays.contains(source)) && probes < Self.mostProbes:
            probes += 1
            return [(.helloToAck, one), (.helloToAck, other)]
        case .relayList(let named) where directories.contains(source):
            for relay in named where !relays.contains(relay) && relays.count < Self.mostRelays {
                relays.append(relay)
            }
        case .relayHelloAck where relay == nil && relays.contains(source):
            relay = source
            return [(.relayPort, source)]
        case .relayPortAck(let token, let port) where source == relay && allocated == nil:
            self.token = token
            let allocated = Endpoint(source.address, port: Int(port))
            self.allocated = allocated
            return directories.map { (.relayRequest(id, relay: allocated, token: token), $0) }
        case .relayTo(let address, let token) where directories.contains(source):
            guard token == self.token, address == allocated else { return [] }
            meeting = address
            nextMeeting = now
        default: break
        }
        return []
    }

    mutating func takeCandidates() -> [Endpoint] {
        defer { candidates = [] }
        return candidates
    }
}
