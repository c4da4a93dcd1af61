import Foundation
import GeminiLive
import Services
public import SessionRecording
import Simulation
import Synchronization

/// What a replay found.
public struct ReplayReport: Sendable {
    /// How many messages, looks at the camera and events were compared.
    public var compared: Int
    /// The first difference; `nil` when all was the same.
    public var firstDifference: Difference?
    /// The hash of the recording and of the replay, for sessions that were simulated.
    public var hashes: (recorded: UInt64, replayed: UInt64)?
    /// Virtual time that was replayed, in seconds.
    public var seconds: Double
    /// The recording stopped before its end, because its process was killed.
    public var recordingIsIncomplete: Bool

    /// Whether everything was the same.
    public var isSame: Bool { firstDifference == nil && hashes.map { $0.recorded == $0.replayed } ?? true }
}

/// Why a session cannot be replayed.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
    /// The scenario is not one of this program's.
    case unknownScenario(String)
    /// The program failed in a way that is neither recorded nor a difference.
    case failed(String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownScenario(let name): "this lenssim knows no scenario “\(name)”"
        case .failed(let detail): "the replay failed: \(detail)"
        }
    }
}

extension SessionReader {
    /// Runs the session's code again on what was recorded, in the simulation, and compares.
    ///
    /// - Parameter until: Virtual time after which the replay ends; `nil` for the whole session.
    /// - Throws: ``ReplayError``, ``SessionError``.
    public func replay(until: Duration? = nil) throws -> ReplayReport {
        switch manifest.fidelity {
        case .simulated: try replaySimulated(until: until)
        case .loopback: try replayLoopback(until: until)
        }
    }

    private func replaySimulated(until: Duration?) throws -> ReplayReport {
        guard let scenario = ScenarioCatalogue.named(manifest.scenario) else {
            throw ReplayError.unknownScenario(manifest.scenario)
        }
        let comparison = Comparison()
        let events = EventComparison(try self.events(), comparison: comparison)
        let settings = ScenarioSettings(parameters: manifest.parameters)
        let outcome = scenario.runSimulated(seed: manifest.seed, settings: settings) { event in
            if until.map({ event.nanoseconds <= $0.nanoseconds }) ?? true { events.check(event) }
        }
        if until == nil { events.finish() }
        // A scenario that failed when it was recorded is expected to fail in the same way.
        if outcome.failure != self.outcome?.failure, self.outcome != nil {
            throw ReplayError.failed(
                "it \(outcome.failure ?? "succeeded"), and the recording \(self.outcome?.failure ?? "succeeded")"
            )
        }
        let hashes: (recorded: UInt64, replayed: UInt64)? =
            if until == nil, let recorded = self.outcome, recorded.failure == nil, let report = outcome.report
            {
                (recorded.hash, report.hash)
            } else { nil }
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            hashes: hashes,
            seconds: Double(outcome.report?.time.nanoseconds ?? 0) / 1e9,
            recordingIsIncomplete: self.outcome == nil
        )
    }

    private func replayLoopback(until: Duration?) throws -> ReplayReport {
        guard manifest.scenario == Demo.scenarioName else {
            throw ReplayError.unknownScenario(manifest.scenario)
        }
        let folder = try WorldFolder()
        try restoreFiles(in: folder.path)
        let comparison = Comparison()
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(manifest.startOfTime)
        let simulation = Simulation(seed: manifest.seed, configuration: configuration)
        let end = try until ?? (outcome == nil ? .nanoseconds(lastMoment()) : nil)
        let failure = Mutex<String?>(nil)
        let transports = Mutex<ReplayTransport?>(nil)
        let (_, report) = try simulation.runReporting { [self] in
            let clock = SessionClock()
            let transport = try ReplayTransport(
                self,
                clock: clock,
                comparison: comparison,
                secrets: [Self.key]
            )
            transports.withLock { $0 = transport }
            do {
                try await limited(to: end) { [self] in
                    try await runDemo(clock, transport, comparison, folder: folder.path)
                }
            } catch {
                failure.withLock { $0 = SecretMask([Self.key]).masked("\(error)") }
            }
        }
        if end == nil {
            transports.withLock { $0 }?.finish()
            let failed = failure.withLock { $0 }
            if failed != outcome?.failure, comparison.firstDifference == nil {
                throw ReplayError.failed(
                    failed ?? "it succeeded, and the recording did not: \(outcome?.failure ?? "")"
                )
            }
        }
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            hashes: nil,
            seconds: Double(report.time.nanoseconds) / 1e9,
            recordingIsIncomplete: outcome == nil
        )
    }

    private func runDemo(
        _ clock: SessionClock,
        _ transport: ReplayTransport,
        _ comparison: Comparison,
        folder: String
    ) async throws {
        let settings = DemoSettings(parameters: manifest.parameters, seed: manifest.seed)
        let maker = settings.input == nil ? LensPhone.camera(settings.options, seed: settings.seed) : nil
        let phone = try LensPhone(
            settings.options,
            addresses: addresses,
            transport: transport,
            camera: try ReplayCamera(self, maker: maker, clock: clock, comparison: comparison),
            folder: folder,
            databasePath: folder + "/lens.sqlite"
        )
        let stoppedAt = outcome?.stoppedAt
        _ = try await DemoScript(
            phone: phone,
            seconds: settings.seconds,
            clock: clock,
            stopRequest: {
                if let stoppedAt {
                    try? await clock.sleep(until: stoppedAt)
                } else {
                    try? await Task.sleep(for: .seconds(86_400))
                }
            },
            tell: { _ in }
        ).run()
    }

    /// Stands for the keys, as it does in the recording: what a peer said of a key, it says of this one.
    private static let key = Secret(SecretMask.word)

    /// The recorded addresses.
    private var addresses: LensAddresses {
        let parameters = manifest.parameters
        return LensAddresses(
            gemini: GeminiEndpoint(
                authority: parameters["gemini"] ?? "",
                isSecure: parameters["geminiIsSecure"] == "true",
                version: parameters["geminiVersion"] ?? "v1beta"
            ),
            geminiKey: Self.key,
            supabase: parameters["supabase"],
            supabaseKey: Self.key
        )
    }

    private func restoreFiles(in folder: String) throws {
        for (name, bytes) in try files() {
            let file = URL(filePath: folder).appending(path: name).standardizedFileURL
            guard file.path.hasPrefix(folder + "/") else {
                throw SessionError.damaged(path: path, detail: "a file in it has the name \(name)")
            }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: file)
        }
    }

    /// The time of the last thing in an incomplete recording.
    private func lastMoment() throws(SessionError) -> Int64 {
        var last: Int64 = 0
        for number in try connections().indices {
            for message in try messages(of: number) { last = max(last, message.nanoseconds) }
        }
        return last
    }
}

/// Runs `body` until it ends or virtual time is up.
private func limited(to limit: Duration?, _ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let limit else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask { try await Task.sleep(for: limit) }
        defer { group.cancelAll() }
        try await group.next()
    }
}
