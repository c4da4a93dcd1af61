import MulticastDNS
import Services
import Testing
import Transport

/// Runs an agent by hand: time passes only when it is asked to.
struct AgentRun<Agent: LinkAgent> {
    var agent: Agent
    private(set) var now: ContinuousClock.Instant
    let start: ContinuousClock.Instant
    private(set) var sent: [(time: Duration, packet: OutgoingMessage)] = []

    static var own: IPAddress { IPAddress(10, 0, 0, 1) }
    static var eth0: LinkPath { LinkPath(interface: "eth0", version: .v4) }

    /// On one interface with one address.
    init(_ agent: Agent, links: [Link] = [AgentRun.link()]) {
        self.agent = agent
        (start, now) = (.now, .now)
        self.agent.setLinks(links, at: now)
    }

    static func link(_ name: String = "eth0", index: Int = 2, _ addresses: [IPAddress] = [own]) -> Link {
        let all = addresses.compactMap { address in
            IPSubnet(address, prefixLength: address.version == .v4 ? 16 : 64)
                .map { NetworkInterface.Address(address, in: $0) }
        }
        return Link(
            NetworkInterface(name: name, index: index, addresses: all),
            versions: Set(addresses.map(\.version)).sorted()
        )
    }

    /// Lets time pass, and the agent do what is due at each moment.
    mutating func pass(_ time: Duration) {
        let end = now + time
        while true {
            agent.tick(at: now)
            for packet in agent.takePackets() { sent.append((now - start, packet)) }
            guard let next = agent.nextTick, next <= end else { break }
            now = max(now, next)
        }
        now = end
        agent.tick(at: now)
        for packet in agent.takePackets() { sent.append((now - start, packet)) }
    }

    /// Hands it a message.
    mutating func hear(
        _ message: DNSMessage,
        from source: Endpoint = Endpoint(IPAddress(10, 0, 0, 2), port: 5353),
        on path: LinkPath = AgentRun.eth0
    ) {
        agent.receive(ReceivedMessage(message, message.encoded, on: path, from: source), at: now)
    }

    /// The messages that were sent since the last call, with the time since the start.
    mutating func takeSent() throws -> [(time: Duration, message: DNSMessage, destination: Endpoint)] {
        defer { sent = [] }
        return try sent.map { ($0.time, try #require(DNSMessage($0.packet.bytes)), $0.packet.destination) }
    }
}
