public import SessionRecording
public import Simulation

/// What came of one seed.
public struct SeedOutcome: Sendable {
    /// The seed.
    public var seed: UInt64
    /// What the scenario counted; `nil` when it failed.
    public var summary: Scenario.Summary?
    /// What the engine counted; `nil` when the run did not reach its end.
    public var report: SimulationReport?
    /// What went wrong; `nil` when nothing did.
    public var failure: String?
}

extension Scenario {
    /// Runs the scenario in the simulation, on the calling thread.
    ///
    /// - Parameters:
    ///   - seed: What decides the run.
    ///   - settings: Those of the scenario.
    ///   - checkingDeterminism: Whether it is run twice and each step compared.
    ///   - onEvent: Receives the events of the simulated world.
    public func runSimulated(
        seed: UInt64,
        settings: ScenarioSettings,
        checkingDeterminism: Bool = false,
        onEvent: (@Sendable (TraceEvent) -> Void)? = nil
    ) -> SeedOutcome {
        var configuration = Simulation.Configuration()
        configuration.onEvent = onEvent
        let body = { @Sendable () async throws -> Summary in try await run(settings) }
        return SeedOutcome(seed: seed) {
            if checkingDeterminism {
                return try Simulation.checkDeterminism(seed: seed, configuration: configuration, body)
            }
            return try Simulation(seed: seed, configuration: configuration).runReporting(body)
        }
    }

    /// Runs the scenario against real sockets of this machine, in real time.
    public func runOverLoopback(seed: UInt64, settings: ScenarioSettings) async -> SeedOutcome {
        do {
            let servers = try await LoopbackServers.start(try LensOptions(settings))
            var configuration = Simulation.Configuration()
            configuration.pace = .real
            configuration.schedule = .firstInFirstOut
            let simulation = Simulation(seed: seed, configuration: configuration)
            let outcome: SeedOutcome
            do {
                let (summary, report) = try await LensBinding.$current.withValue(.loopback(servers)) {
                    try await simulation.runOnOwnThread { try await run(settings) }
                }
                outcome = SeedOutcome(seed: seed, summary: summary, report: report, failure: nil)
            } catch {
                outcome = SeedOutcome(seed: seed, summary: nil, report: nil, failure: "\(error)")
            }
            await servers.stop()
            return outcome
        } catch {
            return SeedOutcome(seed: seed, summary: nil, report: nil, failure: "\(error)")
        }
    }

    /// Runs the scenario in the simulation and writes a recording.
    ///
    /// - Throws: `SessionError` when the file cannot be written.
    public func record(
        seed: UInt64,
        settings: ScenarioSettings,
        to path: String
    ) throws(SessionError) -> SeedOutcome {
        let writer = try SessionWriter(
            path: path,
            manifest: SessionManifest(
                scenario: name,
                fidelity: .simulated,
                seed: seed,
                parameters: settings.parameters,
                startOfTime: Simulation.Configuration().startOfTime.nanoseconds,
                recordedBy: LensSimVersion.current
            )
        )
        let outcome = runSimulated(seed: seed, settings: settings) { writer.add($0) }
        try writer.finish(
            SessionOutcome(
                steps: outcome.report?.steps ?? 0,
                nanoseconds: outcome.report?.time.nanoseconds ?? 0,
                hash: outcome.report?.hash ?? 0,
                failure: outcome.failure
            )
        )
        return outcome
    }
}

extension SeedOutcome {
    fileprivate init(
        seed: UInt64,
        _ run: () throws -> (value: Scenario.Summary, report: SimulationReport)
    ) {
        do {
            let (summary, report) = try run()
            self.init(seed: seed, summary: summary, report: report, failure: nil)
        } catch {
            self.init(seed: seed, summary: nil, report: nil, failure: "\(error)")
        }
    }
}

extension Duration {
    /// Whole nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// The version of the program, as it stands in recordings.
public enum LensSimVersion {
    /// Follows CHANGELOG.md.
    public static let current = "0.1.0"
}
