package import Transport

/// The client's way to a camera: searches for it, punches, and waits until it is ready.
///
/// On the local network it searches by broadcast; from afar it asks directory servers, which tell both sides each other's addresses, and,
/// where no datagram gets through between them, it asks for a relay.
///
/// A value without sockets and clocks, as ``Session`` is. An answer with another ID than the one that is looked for is ignored.
/// A right ID proves nothing: anybody who hears a search can answer it with a copy.
package struct PeerFinder: Sendable {
    /// A packet and where it goes.
    package struct Outgoing: Sendable, Hashable {
        package var packet: Packet
        package var destination: Endpoint
        /// Whether it is sent in each form that the other side may understand.
        package var inAllForms: Bool
    }

    /// How far it has come.
    package enum Stage: Sendable, Hashable {
        /// Nobody has answered with the ID.
        case searching
        /// Somebody has, and is not ready.
        case punching
        case connected(Endpoint)
    }

    private static let searchInterval = Duration.seconds(1)
    private static let punchInterval = Duration.milliseconds(250)
    /// The most addresses that are tried at a time; whoever answers further ones is ignored.
    private static let mostCandidates = 8
    /// From which punch on the client says that it is ready too, which some cameras wait for and others do not like.
    private static let patientPunches = 3

    private let id: DeviceID
    private let targets: [Endpoint]
    private let own: [Endpoint]
    private var candidates: [Endpoint] = []
    private var nextSearch: ContinuousClock.Instant
    private var nextPunch: ContinuousClock.Instant
    private var punches = 0
    private var outgoing: [Outgoing] = []
    private var remote: RemoteSearch
    package private(set) var stage = Stage.searching
    /// How many answers had another ID.
    package private(set) var strangers = 0

    /// - Parameters:
    ///   - id: The camera.
    ///   - targets: Where it is searched: broadcast addresses, or its own.
    ///   - directories: Servers that know where it is.
    ///   - own: This side's own addresses, of which directories tell the camera the first.
    ///
    ///     In a network with the same private addresses, the camera's may be this side's own: it would find itself.
    ///   - now: The beginning.
    package init(
        _ id: DeviceID,
        at targets: [Endpoint],
        through directories: [Endpoint] = [],
        own: [Endpoint] = [],
        now: ContinuousClock.Instant
    ) {
        (self.id, self.targets) = (id, targets)
        self.own = own
        remote = RemoteSearch(id, directories, local: own.first ?? Endpoint(.anyV4, port: 0), now: now)
        (nextSearch, nextPunch) = (now, now)
    }

    /// Does what is due.
    package mutating func tick(at now: ContinuousClock.Instant) {
        if case .connected = stage { return }
        if now >= nextSearch {
            nextSearch = now + Self.searchInterval
            for target in targets { send(.lanSearch, to: target, inAllForms: true) }
        }
        for (packet, destination) in remote.tick(at: now) { send(packet, to: destination, inAllForms: true) }
        if !candidates.isEmpty, now >= nextPunch {
            nextPunch = now + Self.punchInterval
            punches += 1
            for candidate in candidates { punch(candidate) }
        }
    }

    /// Takes a packet from anybody.
    package mutating func receive(_ packet: Packet, from source: Endpoint, at now: ContinuousClock.Instant) {
        if case .connected = stage { return }
        if own.contains(source) { return }
        for (packet, destination) in remote.receive(packet, from: source, at: now) {
            send(packet, to: destination, inAllForms: true)
        }
        for candidate in remote.takeCandidates() { add(candidate) }
        switch packet {
        case .punch(id): add(source)
        case .ready(id):
            stage = .connected(source)
            send(.readyAck, to: source)
        case .relayReady(id) where source == remote.meeting: stage = .connected(source)
        case .punch, .ready: strangers += 1
        default: break
        }
    }

    /// What directories say of the camera; `nil` where none has answered.
    package var verdict: Packet.Verdict? { remote.verdict }

    /// The packets to send now.
    package mutating func takeOutgoing() -> [Outgoing] {
        defer { outgoing = [] }
        return outgoing
    }

    private mutating func add(_ candidate: Endpoint) {
        guard !candidates.contains(candidate), !own.contains(candidate),
            candidates.count < Self.mostCandidates
        else { return }
        candidates.append(candidate)
        stage = .punching
        punch(candidate)
    }

    private mutating func punch(_ candidate: Endpoint) {
        send(.punch(id), to: candidate)
        if punches >= Self.patientPunches { send(.ready(id), to: candidate) }
    }

    private mutating func send(_ packet: Packet, to destination: Endpoint, inAllForms: Bool = false) {
        outgoing.append(Outgoing(packet: packet, destination: destination, inAllForms: inAllForms))
    }
}
