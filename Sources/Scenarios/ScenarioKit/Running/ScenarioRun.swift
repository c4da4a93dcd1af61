import Exploration
public import SessionRecording
public import Simulation
import Synchronization

/// What came of one seed.
public struct SeedOutcome: Sendable {
    /// The seed.
    public var seed: UInt64
    /// What the scenario counted; `nil` when it failed.
    public var summary: ScenarioSummary?
    /// What the engine counted, up to the failure if there was one; `nil` when that is not known.
    public var report: SimulationReport?
    /// What went wrong; `nil` when nothing did.
    public var failure: String?
}

extension Scenario {
    /// Runs the scenario in the simulation, on the calling thread: the run that `lenssim explore` makes by the same recipe.
    ///
    /// - Parameters:
    ///   - recipe: What decides the run.
    ///   - checkingDeterminism: Whether it is run twice more, and each step compared.
    ///   - onEvent: Receives the events of the simulated world.
    public func runSimulated(
        _ recipe: Recipe,
        checkingDeterminism: Bool = false,
        onEvent: (@Sendable (TraceEvent) -> Void)? = nil
    ) -> SeedOutcome {
        runSimulated(recipe, checkingDeterminism: checkingDeterminism, screens: nil, onEvent: onEvent)
    }

    private func runSimulated(
        _ recipe: Recipe,
        checkingDeterminism: Bool = false,
        screens: (any ScreenLog)?,
        onEvent: (@Sendable (TraceEvent) -> Void)?
    ) -> SeedOutcome {
        let summary = Mutex<ScenarioSummary?>(nil)
        let divergence = checkingDeterminism ? program.divergence(recipe) : nil
        let result = program(screens: screens) { found in summary.withLock { $0 = found } }
            .run(recipe) { $0.onEvent = onEvent }
        let failure = divergence ?? result.failure
        return SeedOutcome(
            seed: recipe.seed,
            summary: failure == nil ? summary.withLock { $0 } : nil,
            report: result.report,
            failure: failure.map { "\($0)" }
        )
    }

    /// Runs the scenario against real sockets of this machine, in real time.
    public func runOverLoopback(seed: UInt64) async -> SeedOutcome {
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        configuration.schedule = .firstInFirstOut
        let simulation = Simulation(seed: seed, configuration: configuration)
        do {
            guard !Self.needsSimulatedNetwork else { throw NeedsSimulatedNetwork(scenario: Self.name) }
            let peers = try LoopbackPeers()
            let outcome: SeedOutcome
            do {
                let (summary, report) = try await Binding.$current.withValue(.loopback(peers)) {
                    try await simulation.runOnOwnThread { try await run() }
                }
                outcome = SeedOutcome(seed: seed, summary: summary, report: report, failure: nil)
            } catch {
                outcome = SeedOutcome(seed: seed, summary: nil, report: nil, failure: "\(error)")
            }
            await peers.stop()
            return outcome
        } catch {
            return SeedOutcome(seed: seed, summary: nil, report: nil, failure: "\(error)")
        }
    }

    /// Runs the scenario in the simulation and writes a recording.
    ///
    /// - Throws: `SessionError` when the file cannot be written.
    public func record(_ recipe: Recipe, to path: String) throws(SessionError) -> SeedOutcome {
        let writer = try SessionWriter(
            path: path,
            manifest: SessionManifest(
                scenario: Self.name,
                fidelity: .simulated,
                seed: recipe.seed,
                recipe: "\(recipe)",
                parameters: settingTexts,
                startOfTime: Simulation.Configuration().startOfTime.nanoseconds,
                recordedBy: LensSimVersion.current
            )
        )
        let outcome = runSimulated(recipe, screens: RunScreenRecorder(writer: writer)) { writer.add($0) }
        let report = outcome.failure == nil ? outcome.report : nil
        try writer.finish(
            SessionOutcome(
                steps: report?.steps ?? 0,
                nanoseconds: report?.time.nanoseconds ?? 0,
                hash: report?.hash ?? 0,
                failure: outcome.failure
            )
        )
        return outcome
    }
}

/// A scenario that needs faults or devices that only a simulated world has cannot run over real sockets.
public struct NeedsSimulatedNetwork: Error, Sendable, Hashable, CustomStringConvertible {
    /// The scenario.
    public var scenario: String

    /// Names a scenario.
    public init(scenario: String) { self.scenario = scenario }

    /// What was asked, and why it cannot be.
    public var description: String {
        "\(scenario) cannot run over real sockets: it needs faults or devices that only a simulated world has. Run it simulated."
    }
}

extension Duration {
    /// Whole nanoseconds.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// The version of the program, as it stands in recordings.
public enum LensSimVersion {
    /// Follows CHANGELOG.md.
    public static let current = "0.1.0"
}
