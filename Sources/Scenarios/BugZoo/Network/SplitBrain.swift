import SimulatedTransport
import Simulation
import Transport

/// Leads until somebody else says that he does, and stands up when nobody says it for too long.
private actor Candidate {
    private(set) var leads: Bool
    private var silence = 0
    private var unheard = 0

    init(leads: Bool) { self.leads = leads }

    /// A beat of the leader has come.
    func hear() {
        silence = 0
    }

    /// An answer to one's own beat has come.
    func isHeard() { unheard = 0 }

    /// A time unit has passed; gives whether to send a beat.
    func tick(isFixed: Bool) -> Bool {
        if leads {
            unheard += 1
            // Who hears no answers can not know that nobody else has stood up, and steps down first.
            if isFixed, unheard > 3 { leads = false }
        } else {
            silence += 1
            if silence > 6 { leads = true }
        }
        return leads
    }
}

extension ZooProgram {
    static let splitBrain = ZooProgram(
        "split-brain",
        .network,
        "a leader that is cut off goes on leading while its successor does"
    ) { isFixed in
        let world = ZooNetwork()
        let candidates = [Candidate(leads: true), Candidate(leads: false)]
        let hosts = [world.phone, world.hub]
        let addresses = ["phone", "hub"].map { SocketAddress(host: $0, port: 9000) }
        let sockets = [try await hosts[0].bind(addresses[0]), try await hosts[1].bind(addresses[1])]
        let readers = [0, 1].map { index in
            ZooNetwork.receive(sockets[index]) { bytes, source in
                if bytes == [1] {
                    await candidates[index].hear()
                    try? await sockets[index].send([2], to: source)
                } else {
                    await candidates[index].isHeard()
                }
            }
        }
        let cuts = Simulation.current?.faultSource("cut phone hub").fires(probability: 0.3) != nil
        var both = false
        for tick in 0..<16 {
            if tick == 4, cuts { world.network.link(from: "phone", to: "hub").isPartitioned = true }
            for index in [0, 1] where await candidates[index].tick(isFixed: isFixed) {
                try? await sockets[index].send([1], to: addresses[1 - index])
            }
            try await Task.sleep(for: .milliseconds(100))
            let first = await candidates[0].leads
            let second = await candidates[1].leads
            both = both || (first && second)
        }
        for socket in sockets { await socket.close() }
        for reader in readers { await reader.value }
        try expect(!both, "two lead at once")
    }
}
