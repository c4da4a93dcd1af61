import SimulatedDisk
import SimulatedTransport
import Simulation

/// What a plan acts on.
struct PlannedWorld: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread of its simulation.
    unowned let simulation: Simulation
    let network: SimulatedNetwork?
    let disks: [SimulatedDisk]
    /// Faults that overlap: what two of them do ends with the last.
    private let ongoing: OngoingFaults

    init(simulation: Simulation, network: SimulatedNetwork?, disks: [SimulatedDisk]) {
        self.simulation = simulation
        self.network = network
        self.disks = disks
        ongoing = OngoingFaults(simulation: simulation)
    }

    // MARK: Standing conditions

    func set(_ wanted: FaultPlan.Link) {
        guard let network else { return }
        for from in hosts([wanted.from]) {
            for to in hosts([wanted.to]) where from != to {
                let link = network.link(from: from, to: to)
                var conditions = link.conditions
                if let latency = wanted.latency {
                    conditions.latency = .uniform(.seconds(latency.min)...(.seconds(latency.max)))
                }
                conditions.loss = wanted.loss ?? conditions.loss
                conditions.duplication = wanted.duplication ?? conditions.duplication
                conditions.reordering = wanted.reordering ?? conditions.reordering
                conditions.linkStalls = wanted.linkStalls ?? conditions.linkStalls
                conditions.resets = wanted.resets ?? conditions.resets
                conditions.stalls = wanted.stalls ?? conditions.stalls
                conditions.bandwidth = wanted.bandwidth ?? conditions.bandwidth
                conditions.queueBytes = wanted.queueBytes ?? conditions.queueBytes
                link.conditions = conditions
            }
        }
    }

    func set(_ wanted: FaultPlan.Disk) {
        for disk in disks where wanted.node == "*" || wanted.node == disk.node.name {
            for fault in DiskFault.allCases {
                if let probability = wanted.faults[fault.rawValue] { disk.conditions[fault] = probability }
            }
            if let time = wanted.slowSyncTime { disk.conditions.slowSyncTime = .seconds(time) }
        }
    }

    // MARK: Events

    func begin(_ event: FaultPlan.Event, _ chance: FaultChance) {
        switch event.action {
        case .crash: nodes(event.on).forEach { $0.crash() }
        case .powerOff: nodes(event.on).forEach { $0.powerOff() }
        case .pause: nodes(event.on).forEach { $0.pause() }
        case .clockStep: nodes(event.on).forEach { $0.clock.step(by: .seconds(event.amount ?? 0)) }
        case .clockDrift: nodes(event.on).forEach { $0.clock.drift = (event.amount ?? 0) * 1e6 }
        case .partition, .oneWay, .isolate, .halves: cut(event, chance)
        case .reset: others(event.on) { network?.reset($0, $1) }
        case .forget: others(event.on) { network?.forgetConnections(of: $0, to: $1) }
        case .stall: others(event.on) { network?.stall(from: $0, to: $1, for: .seconds(event.duration ?? 0)) }
        case .heal: simulation.heal()
        }
        switch event.action {
        case .crash, .powerOff: end(event, "down") { if !$0.isAlive { $0.restart() } }
        case .pause: end(event, "pause") { if $0.isPaused { $0.resume() } }
        case .clockDrift: end(event, "drift") { if $0.clock.drift != 0 { $0.clock.drift = 0 } }
        default: break
        }
    }

    /// Undoes an event at its nodes when its time is over, but for those where another such event goes on.
    private func end(_ event: FaultPlan.Event, _ what: String, _ undo: @escaping @Sendable (Node) -> Void) {
        let nodes = nodes(event.on)
        ongoing.begin(nodes.map { "\(what) \($0.name)" }, for: event.duration) { undo(nodes[$0]) }
    }

    private func cut(_ event: FaultPlan.Event, _ chance: FaultChance) {
        guard let network else { return }
        var routes: [(String, String)] = []
        func both(_ one: String, _ other: String) { routes += [(one, other), (other, one)] }
        switch event.action {
        case .oneWay: others(event.on) { routes.append(($0, $1)) }
        case .isolate: for host in hosts(event.on) { for other in network.hostNames { both(host, other) } }
        case .halves:
            var chance = chance
            let names = network.hostNames.shuffled(using: &chance)
            for one in names.prefix(names.count / 2) {
                for other in names.dropFirst(names.count / 2) { both(one, other) }
            }
        default: for one in hosts(event.on) { for other in hosts(event.on) { both(one, other) } }
        }
        let links = routes.filter { $0 != $1 }.map { network.link(from: $0, to: $1) }
        links.forEach { $0.isPartitioned = true }
        ongoing.begin(links.map { "cut \($0.from) \($0.to)" }, for: event.duration) {
            links[$0].isPartitioned = false
        }
    }

    // MARK: Names

    func hosts(_ names: [String]) -> [String] {
        names.contains("*") ? network?.hostNames ?? [] : names
    }

    /// The test's own node does not die.
    private func nodes(_ names: [String]) -> [Node] {
        (names.contains("*") ? Array(simulation.nodeNames.dropFirst()) : names).map { simulation.node($0) }
    }

    private func others(_ names: [String], _ body: (String, String) -> Void) {
        guard let first = names.first else { return }
        for from in hosts([first]) {
            for to in hosts(Array(names.dropFirst())) where from != to { body(from, to) }
        }
    }
}
