import PPPP
import Transport

/// What a camera does so that clients far away find it: it logs in to directories, punches where they say, and goes to relays.
struct DirectoryLogin {
    private static let loginInterval = Duration.seconds(8)
    /// How soon a login that nobody has answered is repeated.
    private static let loginPatience = Duration.seconds(1)
    private static let punchInterval = Duration.milliseconds(250)
    /// How long an address is punched, and a relay asked.
    private static let patience = Duration.seconds(20)
    /// Addresses and relays that are tried at a time.
    private static let mostEfforts = 32

    /// One packet that is repeated for a while.
    private struct Effort {
        var packet: Packet
        var destinations: [Endpoint]
        var end: ContinuousClock.Instant
        var next: ContinuousClock.Instant
    }

    private let id: DeviceID
    private let directories: [Endpoint]
    private let local: Endpoint
    /// Whether it tries the addresses that a directory names.
    private let punches: Bool
    private var nextLogin: ContinuousClock.Instant
    private var efforts: [Effort] = []
    /// Relays at which a client may be met.
    private(set) var relays: Set<Endpoint> = []

    init(
        _ id: DeviceID,
        _ directories: [Endpoint],
        local: Endpoint,
        punches: Bool = true,
        now: ContinuousClock.Instant
    ) {
        (self.id, self.directories, self.local, self.punches) = (id, directories, local, punches)
        nextLogin = now
    }

    /// The packets to send now.
    mutating func tick(at now: ContinuousClock.Instant) -> [(Packet, Endpoint)] {
        guard !directories.isEmpty else { return [] }
        var due: [(Packet, Endpoint)] = []
        if now >= nextLogin {
            nextLogin = now + Self.loginPatience
            for directory in directories {
                due += [(.hello, directory), (.deviceLogin(id, lan: local), directory)]
            }
        }
        efforts.removeAll { $0.end <= now }
        for place in efforts.indices where efforts[place].next <= now {
            efforts[place].next = now + Self.punchInterval
            due += efforts[place].destinations.map { (efforts[place].packet, $0) }
        }
        return due
    }

    /// Takes a packet of a directory; others are ignored.
    mutating func receive(_ packet: Packet, from source: Endpoint, at now: ContinuousClock.Instant) {
        guard directories.contains(source) else { return }
        switch packet {
        case .deviceLoginAck: nextLogin = now + Self.loginInterval
        // In a network with the same private addresses, the client's may be the camera's own.
        case .punchTo(local): break
        case .punchTo(let address): if punches { add(.punch(id), [address], at: now) }
        case .relayTo(let address, let token):
            relays.insert(address)
            if relays.count > Self.mostEfforts { relays = [address] }
            add(.relayPacket(token: token, id, isDevice: true), [address, source], at: now)
        default: break
        }
    }

    private mutating func add(_ packet: Packet, _ destinations: [Endpoint], at now: ContinuousClock.Instant) {
        guard !efforts.contains(where: { $0.packet == packet && $0.destinations == destinations }),
            efforts.count < Self.mostEfforts
        else { return }
        efforts.append(
            Effort(packet: packet, destinations: destinations, end: now + Self.patience, next: now)
        )
    }

    /// Ends what is repeated to an address with which a session has begun.
    mutating func reached(_ address: Endpoint) { efforts.removeAll { $0.destinations.contains(address) } }
}
