import FaultPlans
import SimulatedDisk
import SimulatedTransport
import Simulation
import Testing

@Suite("What a plan of faults changes")
struct PlannedWorldTests {
    @Test func `an isolated host neither sends nor receives, and hears again when its time is over`() throws {
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            for name in ["phone", "hub", "tablet"] { _ = network.host(name) }
            let text = "{version: 1, events: [{at: 1, do: isolate, on: [phone], for: 2}]}"
            try FaultPlan(text: text).apply(network: network)
            func cut() -> [String] {
                ["phone", "hub", "tablet"].flatMap { from in
                    ["phone", "hub", "tablet"].filter { to in
                        from != to && network.link(from: from, to: to).isPartitioned
                    }.map { "\(from)>\($0)" }
                }
            }
            #expect(cut().isEmpty)
            try await Task.sleep(for: .milliseconds(1500))
            #expect(cut() == ["phone>hub", "phone>tablet", "hub>phone", "tablet>phone"])
            try await Task.sleep(for: .seconds(2))
            #expect(cut().isEmpty)
        }
    }

    @Test func `faults of a disk are those of its node alone`() throws {
        try Simulation(seed: 1).run {
            let simulation = try #require(Simulation.current)
            let disks = ["phone", "hub"].map { SimulatedDisk(node: simulation.node($0)) }
            try FaultPlan(text: "{version: 1, disks: [{node: hub, faults: {lost write: 0.5}}]}")
                .apply(disks: disks)
            #expect(disks.map { $0.conditions[.lostWrite] } == [0, 0.5])
            try FaultPlan(text: #"{version: 1, disks: [{node: "*", faults: {torn write: 0.25}}]}"#)
                .apply(disks: disks)
            #expect(disks.map { $0.conditions[.tornWrite] } == [0.25, 0.25])
        }
    }

    @Test(
        arguments: [
            ("events: [{at: 1, do: isolate, on: [nobody]}]", "host", ["phone", "hub"]),
            ("events: [{at: 1, do: crash, on: [nobody]}]", "node", ["test", "phone", "hub"]),
            ("links: [{from: phone, to: nobody, loss: 1}]", "host", ["phone", "hub"]),
            ("disks: [{node: nobody, faults: {lost write: 1}}]", "disk of the node", ["hub"]),
        ]
    )
    func `an unknown name is an error that lists the known ones`(
        _ text: String,
        _ kind: String,
        _ known: [String]
    )
        throws
    {
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            for name in ["phone", "hub"] { _ = network.host(name) }
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("hub"))
            #expect(throws: FaultPlanError.unknownName("nobody", kind: kind, known: known)) {
                try FaultPlan(text: "{version: 1, \(text)}").apply(network: network, disks: [disk])
            }
        }
    }
}
