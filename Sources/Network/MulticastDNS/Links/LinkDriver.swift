import Concurrency
import Services
import Synchronization
import Transport

/// Connects an agent to the sockets of a network, to the clock and to those who want to know of it.
final class LinkDriver<Agent: LinkAgent>: Sendable {
    private struct State {
        var agent: Agent
        var filter = LinkFilter([])
        /// The numbers of sockets that can no longer be received from.
        var broken: Set<Int> = []
        var mustRestart = false
        var isEnding = false
    }

    /// How many datagrams are taken from a socket at once.
    private static var batch: Int { 32 }
    /// Nothing is due sooner after something else.
    private static var leastWait: Duration { .milliseconds(1) }

    private let network: any DatagramNetwork
    private let monitor: any NetworkMonitor
    private let settings: LinkSettings
    private let state: Mutex<State>
    private let wake = WakeSignal()
    private let publish: @Sendable (Agent.Report) -> Void

    /// - Parameters:
    ///   - agent: What takes part.
    ///   - network: Where it does.
    ///   - monitor: Says when the network is back.
    ///   - settings: Which interfaces are used.
    ///   - publish: Receives each report, in order; it must not wait.
    init(
        _ agent: Agent,
        on network: any DatagramNetwork,
        monitor: any NetworkMonitor,
        _ settings: LinkSettings,
        publish: @escaping @Sendable (Agent.Report) -> Void
    ) {
        (self.network, self.monitor, self.settings, self.publish) = (network, monitor, settings, publish)
        state = Mutex(State(agent: agent))
    }

    /// Changes the agent, and does what is due then.
    func change(_ body: (inout Agent, ContinuousClock.Instant) -> Void) {
        state.withLock { body(&$0.agent, .now) }
        wake.raise()
    }

    /// Lets ``run()`` return when it has sent what is to be sent.
    func end() {
        state.withLock { $0.isEnding = true }
        wake.raise()
    }

    /// Takes part until the calling task is cancelled, or ``end()`` is called; then all sockets are closed.
    func run() async {
        var sockets = LinkSockets(network, settings)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            var nextLook = ContinuousClock.now
            while !Task.isCancelled {
                if ContinuousClock.now >= nextLook || hasBroken {
                    await look(&sockets, &group)
                    nextLook = .now + settings.lookInterval
                }
                let (packets, next, isEnding) = step()
                for packet in packets {
                    // What cannot be sent now is sent again in its time.
                    try? await sockets.socket(packet.path)?.send(packet.bytes, to: packet.destination)
                }
                if isEnding { break }
                let rest = min(next ?? nextLook, nextLook) - .now
                // Clocks count nanoseconds, and no duration that is shorter.
                if await wake.wait(atMost: max(rest, Self.leastWait)) == .cancelled { break }
            }
            group.cancelAll()
            await sockets.close()
        }
    }

    private var hasBroken: Bool { state.withLock { !$0.broken.isEmpty || $0.mustRestart } }

    /// Lets the agent do what is due.
    private func step() -> (packets: [OutgoingMessage], next: ContinuousClock.Instant?, isEnding: Bool) {
        state.withLock { state in
            state.agent.tick(at: .now)
            let packets = state.agent.takePackets()
            if let report = state.agent.takeReport() { publish(report) }
            return (packets, state.agent.nextTick, state.isEnding)
        }
    }

    private func look(_ sockets: inout LinkSockets, _ group: inout DiscardingTaskGroup) async {
        let broken = state.withLock { state in
            defer { state.broken = [] }
            return state.broken
        }
        let (links, new) = await sockets.look(broken: broken)
        state.withLock { state in
            state.filter = LinkFilter(links)
            state.agent.setLinks(links, at: .now)
            state.agent.setTrouble(sockets.trouble)
            if state.mustRestart { state.agent.restart(at: .now) }
            state.mustRestart = false
        }
        for socket in new { group.addTask { await self.receive(from: socket) } }
    }

    private func receive(from socket: LinkSockets.Numbered) async {
        while let datagrams = try? await socket.socket.receive(atMost: Self.batch) {
            let filter = state.withLock(\.filter)
            let messages = datagrams.compactMap { filter.message(in: $0, at: socket.path) }
            if messages.isEmpty { continue }
            state.withLock { state in
                for message in messages { state.agent.receive(message, at: .now) }
            }
            wake.raise()
        }
        if Task.isCancelled { return }
        state.withLock { _ = $0.broken.insert(socket.number) }
        wake.raise()
    }

    /// Waits for the network to come back.
    private func watch() async {
        var wasConnected: Bool?
        for await isConnected in monitor.changes() {
            if wasConnected == false, isConnected {
                state.withLock { $0.mustRestart = true }
                wake.raise()
            }
            wasConnected = isConnected
        }
    }
}
