import SimulatedDisk
import SimulatedTransport
import Simulation

extension PlannedWorld {
    /// Checks that the plan can come true here: a fault that does nothing would go unnoticed.
    func check(_ plan: FaultPlan) throws(FaultPlanError) {
        try plan.check()
        for (number, link) in plan.links.enumerated() { try check(link, "links \(number + 1).") }
        if plan.nameFailure > 0, network == nil { throw .impossible("nameFailure: there is no network") }
        for (number, disk) in plan.disks.enumerated() {
            if disks.isEmpty { throw .impossible("disks \(number + 1).: there is no disk") }
            try check(disk.node, "disk of the node", disks.map(\.node.name))
        }
        for (number, event) in plan.events.enumerated() { try check(event, "events \(number + 1).") }
    }

    private func check(_ link: FaultPlan.Link, _ place: String) throws(FaultPlanError) {
        guard let network else { throw .impossible("\(place): there is no network") }
        try check(link.from, "host", network.hostNames)
        try check(link.to, "host", network.hostNames)
        let pairs = hosts([link.from]).flatMap { from in hosts([link.to]).filter { $0 != from } }
        if pairs.isEmpty { throw .impossible("\(place): no two hosts are meant") }
    }

    private func check(_ event: FaultPlan.Event, _ place: String) throws(FaultPlanError) {
        switch event.subject {
        case .nodes:
            for name in event.on { try check(name, "node", simulation.nodeNames) }
            if event.endsWork, event.on.contains("test") {
                throw .impossible("\(place): on the node “test” runs the test itself, which must go on")
            }
        case .hosts:
            guard let network else { throw .impossible("\(place): there is no network") }
            for name in event.on { try check(name, "host", network.hostNames) }
        case .everything: break
        }
    }

    private func check(_ name: String, _ kind: String, _ known: [String]) throws(FaultPlanError) {
        if name != "*", !known.contains(name) { throw .unknownName(name, kind: kind, known: known) }
    }
}

extension FaultPlan.Event {
    fileprivate enum Subject { case nodes, hosts, everything }

    fileprivate var subject: Subject {
        switch action {
        case .crash, .powerOff, .pause, .clockStep, .clockDrift: .nodes
        case .partition, .oneWay, .isolate, .halves, .reset, .forget, .stall: .hosts
        case .heal: .everything
        }
    }

    /// Whether nothing runs any more on the nodes for a time.
    fileprivate var endsWork: Bool { action == .crash || action == .powerOff || action == .pause }
}
