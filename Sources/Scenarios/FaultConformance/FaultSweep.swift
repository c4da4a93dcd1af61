public import Conformance
import Simulation

/// Runs the cases of a suite from many seeds, each time in a simulation in which networks, servers and disks fail in another way.
///
/// ```swift
/// let report = FaultSweep(seeds: 1...30).report(ObjectStoreConformance.suite) { world in
///     world.serverHost("cloud")
///     return MyHarness(on: world.network.host("phone"), to: await world.serve(MyServer(), on: "cloud"))
/// }
/// #expect(report.wrongs == [])
/// ```
///
/// What goes wrong is drawn as by `FaultPlan.drawn(over:from:)`: each kind is likely or absent. Packets are lost, late, doubled and overtaken, links
/// stall and are cut, streams break and stand still, names are not found, servers crash, lose power and stand still; reads, writes and syncs
/// of disks fail, and there is no room.
public struct FaultSweep: Sendable {
    /// The seeds; the same seed is the same run.
    public var seeds: ClosedRange<UInt64>
    /// The longest wait for anything that must come, in virtual time: beyond all timeouts of clients and systems.
    public var patience: Duration

    /// Makes a sweep.
    public init(seeds: ClosedRange<UInt64>, patience: Duration = .seconds(7_200)) {
        (self.seeds, self.patience) = (seeds, patience)
    }

    /// Runs all cases of a suite.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - world: Makes hosts and servers, and what the suite tries there; called once for each case and seed, inside of its simulation.
    public func report<Subject: Sendable>(
        _ suite: Suite<Subject>,
        in world: @escaping @Sendable (FaultyWorld) async throws -> Subject
    ) -> FaultReport {
        FaultReport(entries: suite.cases.map { entry($0, in: world) })
    }

    /// Runs one case of a suite.
    ///
    /// - Parameters:
    ///   - test: The case.
    ///   - world: As for a whole suite.
    public func entry<Subject: Sendable>(
        _ test: Suite<Subject>.Case,
        in world: @escaping @Sendable (FaultyWorld) async throws -> Subject
    ) -> FaultReport.Entry {
        var entry = FaultReport.Entry(id: test.id)
        for seed in seeds {
            do {
                switch try verdict(test, seed, world) {
                case .passed: entry.passed += 1
                case .gaveUp(let reason): entry.gaveUp[reason, default: 0] += 1
                case .skipped(let reason): entry.skipped[reason, default: 0] += 1
                }
            } catch {
                entry.wrongs.append(.init(id: test.id, seed: seed, saw: "\(error)"))
            }
        }
        return entry
    }

    private func verdict<Subject: Sendable>(
        _ test: Suite<Subject>.Case,
        _ seed: UInt64,
        _ world: @escaping @Sendable (FaultyWorld) async throws -> Subject
    ) throws -> FaultVerdict {
        let patience = patience
        return try Simulation(seed: seed).run { () async throws -> FaultVerdict in
            let faulty = FaultyWorld()
            let subject = try await world(faulty)
            try faulty.beginFaults()
            return try await test.run(with: subject, underFaultsWithin: patience) { faulty.heal() }
        }
    }
}
