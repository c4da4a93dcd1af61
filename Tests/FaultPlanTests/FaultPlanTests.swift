import Exploration
import FaultPlans
import Foundation
import Probes
import SimulatedDisk
import SimulatedTransport
import Simulation
import Synchronization
import Testing
import Transport

@Suite("Plans of faults")
struct FaultPlanTests {
    private static let text = """
        version: 1
        links:
          - { from: phone, to: "*", loss: 0.25, latency: { min: 0.01, max: 0.2 } }
        disks:
          - { node: hub, faults: { lost write: 0.5 } }
        points:
          - { name: after-put, probability: 1 }
        events:
          - { at: 3, do: partition, on: [phone, hub], for: 2 }
          - { at: 8, do: power off, on: [hub], for: 5, probability: 0.5 }
        """

    @Test func `a plan is read from YAML, and written so that it can be read again`() throws {
        let plan = try FaultPlan(text: Self.text)
        #expect(plan.links.first?.loss == 0.25)
        #expect(plan.events.map(\.action) == [.partition, .powerOff])
        #expect(plan.events.first?.duration == 2)
        #expect(try FaultPlan(text: plan.text) == plan)
    }

    @Test func `JSON will do as well`() throws {
        let plan = try FaultPlan(text: #"{"version": 1, "events": [{"at": 1, "do": "heal"}]}"#)
        #expect(plan.events == [.init(at: 1, .heal)])
    }

    @Test(
        arguments: [
            ("", "version"), ("hello", "version"), ("version: 7", "form 7"),
            ("version: 1\nlink: []", "unknown key “link”"),
            ("version: 1\nlinks: [{from: a, to: b, los: 1}]", "unknown key “los”"),
            (
                "version: 1\nlinks: [{from: a, to: b, latency: {min: 0, max: 1, mean: 1}}]",
                "unknown key “mean”"
            ),
            ("version: 1\ndisks: [{node: a, faults: {}, slowSync: 1}]", "unknown key “slowSync”"),
            ("version: 1\npoints: [{name: a, probability: 1, at: 3}]", "unknown key “at”"),
            ("version: 1\nlinks: [{from: a, loss: 1}]", "“to” is missing"),
            ("version: 1\nlinks: [{from: a, to: b, loss: 2}]", "not a probability"),
            ("version: 1\ndisks: [{node: a, faults: {melting: 1}}]", "no disk has a “melting”"),
            (
                "version: 1\nevents: [{at: 1, do: explode}]",
                "events 1. do: there is no action “explode”; known are crash, power off, pause"
            ),
            ("version: 1\nevents: [{at: -1, do: heal}]", "no time"),
            ("version: 1\nevents: [{at: 1, do: crash}]", "needs at least 1 different names"),
            ("version: 1\nevents: [{at: 1, do: partition, on: [a, a]}]", "needs at least 2 different names"),
            ("version: 1\nevents: [{at: 1, do: clock drift, on: [a], by: 0.6}]", "too much"),
            ("version: 1\nevents: [{at: 1, do: clock step, on: [a]}]", "needs “by”"),
            ("version: 1\nevents: [{at: 1, do: stall, on: [a, b]}]", "needs “for”"),
            ("version: 1\nevents: {", ""),
        ]
    )
    func `unknown keys and invalid values are errors that say where and what`(
        _ text: String,
        _ expected: String
    ) {
        let error = #expect(throws: FaultPlanError.self) { try FaultPlan(text: text) }
        #expect(
            expected.isEmpty || error?.description.contains(expected) == true,
            "\(error?.description ?? "")"
        )
    }

    @Test func `a name that the world does not have is refused, with those that it has`() throws {
        let plan = try FaultPlan(text: Self.text)
        let error = Mutex<FaultPlanError?>(nil)
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            for name in ["phone", "gemini"] { network.host(name) }
            guard let phone = Simulation.current?.node("phone") else { return }
            let disk = SimulatedDisk(node: phone)
            do throws(FaultPlanError) { try plan.apply(network: network, disks: [disk]) } catch let thrown {
                error.withLock { $0 = thrown }
            }
        }
        #expect(
            error.withLock { $0 }?.description.contains("“hub”, which does not exist; known are phone")
                == true
        )
    }

    /// What a plan says that cannot come true in a world without network and disks, but with the node phone.
    private func refusal(_ text: String) throws -> String {
        let plan = try FaultPlan(text: "version: 1\n\(text)")
        let refusal = Mutex("")
        try Simulation(seed: 1).run {
            _ = Simulation.current?.node("phone")
            do throws(FaultPlanError) { try plan.apply() } catch {
                refusal.withLock { $0 = error.description }
            }
        }
        return refusal.withLock { $0 }
    }

    @Test(
        arguments: [
            (
                "events: [{at: 1, do: crash, on: [test]}]",
                "events 1.: on the node “test” runs the test itself"
            ),
            ("events: [{at: 1, do: power off, on: [phone, test]}]", "“test” runs the test itself"),
            ("events: [{at: 1, do: pause, on: [test]}]", "“test” runs the test itself"),
            ("events: [{at: 1, do: clock step, on: [test], by: 1}]", ""),
            ("events: [{at: 1, do: crash, on: [\"*\"]}]", ""),
            ("events: [{at: 1, do: halves}]", "events 1.: there is no network"),
            ("events: [{at: 1, do: isolate, on: [\"*\"]}]", "events 1.: there is no network"),
            ("links: [{from: \"*\", to: \"*\", loss: 1}]", "links 1.: there is no network"),
            ("nameFailure: 0.5", "nameFailure: there is no network"),
            ("disks: [{node: \"*\", faults: {lost write: 1}}]", "disks 1.: there is no disk"),
            ("disks: [{node: phone, faults: {lost write: 1}}]", "disks 1.: there is no disk"),
        ]
    )
    func `what could do nothing in the world, or would end the test, is refused`(
        _ text: String,
        _ expected: String
    ) throws {
        let refusal = try refusal(text)
        #expect(expected.isEmpty ? refusal.isEmpty : refusal.contains(expected), "\(refusal)")
    }

    @Test func `conditions of a link from a host to itself are refused`() throws {
        var plan = FaultPlan()
        plan.links = [.init(from: "phone", to: "phone")]
        let asked = plan
        #expect(throws: FaultPlanError.impossible("links 1.: no two hosts are meant")) { try run(asked) }
    }

    @Test func `a plan that is made in code is checked like one that is read`() throws {
        var plan = FaultPlan()
        plan.events = [.init(at: 1, .clockDrift, on: ["hub"], amount: 3)]
        let asked = plan
        #expect(throws: FaultPlanError.self) { try run(asked) }
    }

    @Test func `a drifting clock reveals who takes a lease's end from his own clock`() throws {
        for drift in [nil, 0.01] {
            var plan = FaultPlan()
            plan.events = [.init(at: 0, .clockDrift, on: ["hub"], duration: 1000, amount: drift ?? 0)]
            let asked = plan
            let isOver = try Simulation(seed: 1).run {
                let hub = try #require(Simulation.current).node("hub")
                try asked.apply()
                // The broken system: the lease lasts for ten minutes, which it looks up on a clock of its own.
                let start = Date()
                try await Task.sleep(for: .seconds(598))
                return try await hub.run { Date().timeIntervalSince(start) } > 600
            }
            #expect(isOver == (drift != nil), "one per cent of 598 seconds is six")
        }
    }

    @Test func `a fault point that no code passes is reported, and one that is passed is not`() throws {
        var plan = FaultPlan()
        plan.points = [.init(name: "after-put", probability: 0), .init(name: "after-putt", probability: 1)]
        let checks = try run(plan).report.checks.filter { $0.kind == .sometimes }.sorted { $0.line < $1.line }
        #expect(checks.map(\.name) == ["after-put", "after-putt"].map { "the fault point \($0) is passed" })
        #expect(checks.map(\.hits) == [1, 0])
    }

    @Test func `the power of a node that has crashed can go`() throws {
        var plan = FaultPlan()
        plan.events = [
            .init(at: 1, .crash, on: ["hub"], duration: 4), .init(at: 3, .powerOff, on: ["hub"], duration: 1),
        ]
        let (seen, report) = try run(plan)
        #expect(report.firings.map(\.source) == ["plan 1 crash", "plan 2 power off"])
        #expect(!seen.alive[3] && seen.alive[6])
    }

    /// What one run of a small world saw.
    private struct Seen: Sendable, Equatable {
        var partitioned: [Bool] = []
        var alive: [Bool] = []
        var clock: [Int64] = []
        var loss = 0.0
        var armed = false
    }

    private func run(_ plan: FaultPlan, firings: FaultPolicy = .drawn) throws -> (
        value: Seen, report: SimulationReport
    ) {
        var configuration = Simulation.Configuration()
        configuration.faults = firings
        return try Simulation(seed: 1, configuration: configuration).runReporting {
            guard let simulation = Simulation.current else { return Seen() }
            let network = SimulatedNetwork()
            for name in ["phone", "hub"] { _ = network.host(name) }
            let hub = simulation.node("hub")
            let disk = SimulatedDisk(node: hub)
            hub.start { while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) } }
            try plan.apply(network: network, disks: [disk])
            var seen = Seen()
            seen.loss = network.link(from: "phone", to: "hub").conditions.loss
            seen.armed = faultPoint("after-put")
            for _ in 0..<16 {
                try await Task.sleep(for: .seconds(1))
                seen.partitioned.append(network.link(from: "phone", to: "hub").isPartitioned)
                seen.alive.append(hub.isAlive)
                seen.clock.append(hub.clock.error.components.seconds)
            }
            return seen
        }
    }

    @Test func `conditions hold from the start, events begin and end at their times`() throws {
        var plan = try FaultPlan(text: Self.text)
        plan.events[1].probability = 1
        plan.events.append(.init(at: 10.5, .clockStep, on: ["hub"], amount: 60))
        let (seen, report) = try run(plan)
        #expect(seen.loss == 0.25)
        #expect(seen.armed)
        // Seconds 1 to 16; what happens at a whole second may come before or after the look at it.
        #expect(seen.partitioned[3] && !seen.partitioned[1] && !seen.partitioned[5])
        #expect(seen.alive[6] && !seen.alive[8] && !seen.alive[11] && seen.alive[13])
        #expect(seen.clock[9] == 0 && seen.clock[10] == 60)
        #expect(report.firings.map(\.source).contains("plan 2 power off"))
    }

    @Test func `an event can be left out, and the others stay`() throws {
        var plan = try FaultPlan(text: Self.text)
        plan.events[1].probability = 1
        let (seen, _) = try run(plan, firings: .only([Firing(source: "plan 1 partition", decision: 0)]))
        #expect(seen.partitioned[3])
        #expect(seen.alive.allSatisfy { $0 })
    }

    @Test func `a drawn plan is the same for a seed, differs between seeds, and can be written down`() throws
    {
        let space = FaultSpace(
            hosts: ["a", "b", "c"],
            mortalNodes: ["b"],
            clocks: ["a"],
            disks: ["b"],
            points: ["p"],
            seconds: 20
        )
        var plans: Set<FaultPlan> = []
        var kinds: Set<FaultPlan.Action> = []
        var withoutLoss = 0
        for seed in 1...150 as ClosedRange<UInt64> {
            var (one, other) = (
                EntropyStream(seed: seed, label: "plan"), EntropyStream(seed: seed, label: "plan")
            )
            let plan = FaultPlan.drawn(over: space, from: &one)
            #expect(plan == FaultPlan.drawn(over: space, from: &other))
            try #require(try FaultPlan(text: plan.text) == plan, "\(plan.text)")
            plans.insert(plan)
            kinds.formUnion(plan.events.map(\.action))
            if plan.links.first?.loss == nil { withoutLoss += 1 }
        }
        #expect(plans.count > 145)
        #expect((50...100).contains(withoutLoss), "each kind is absent from about half of the plans")
        #expect(kinds == Set(FaultPlan.Action.allCases).subtracting([.heal]))
        let links = plans.compactMap(\.links.first)
        #expect(links.contains { $0.stalls != nil } && links.contains { $0.bandwidth != nil })
        #expect(links.contains { $0.queueBytes != nil })
        #expect(plans.contains { $0.disks.first?.faults["read error"] != nil })
    }

    @Test func `a run gets the plan of its recipe, also when it is drawn`() throws {
        let drawn = Program(name: "drawn", summary: "tells its plan") {
            let space = FaultSpace(hosts: ["a", "b"], seconds: 5)
            let plan = try FaultPlan.ofThisRun(over: space)
            Simulation.current?.note("state", "plan \(plan?.text ?? "none")")
        }
        func plan(_ recipe: Recipe) -> String {
            drawn.run(recipe, recording: .everything).trace?.events.last?.detail ?? ""
        }
        #expect(plan(Recipe(seed: 1)) == "plan none")
        #expect(plan(Recipe(seed: 1, plan: "swarm")).contains("version: 1"))
        #expect(plan(Recipe(seed: 1, plan: "swarm")) != plan(Recipe(seed: 2, plan: "swarm")))
        #expect(plan(Recipe(seed: 1, plan: Self.text)).contains("after-put"))
    }

    @Test func `a supervisor starts a crashed node again`() throws {
        let starts = Mutex(0)
        try Simulation(seed: 1).run {
            guard let node = Simulation.current?.node("hub") else { return }
            node.restartDelay = .seconds(2)
            node.start { starts.withLock { $0 += 1 } }
            try await Task.sleep(for: .seconds(1))
            node.crash()
            try await Task.sleep(for: .seconds(1))
            #expect(!node.isAlive)
            try await Task.sleep(for: .seconds(2))
            #expect(node.isAlive)
        }
        #expect(starts.withLock { $0 } == 2)
    }
}
