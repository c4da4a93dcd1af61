import Foundation
import Services
import SessionRecording
import Simulation
import Synchronization

extension SessionReader {
    /// What the run inside the simulation leaves for the one who started it.
    private struct Ending {
        var transport: ReplayTransport?
        var screens: ScreenComparison?
        var device: DeviceReplay?
        var failure: String?
        var damage: SessionError?
        var wasCut = false
    }

    func replayLoopback<Program: RecordedProgram>(_ type: Program.Type, until: Duration?) throws
        -> ReplayReport
    {
        let program = try Program(self)
        let folder = try WorldFolder()
        try restoreFiles(in: folder.path)
        let comparison = Comparison()
        let last = try lastMoment()
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(manifest.startOfTime)
        // A program that never ends is a difference too, and has to be reported.
        configuration.maximumTime =
            .nanoseconds(max(last, outcome?.stoppedAt ?? 0))
            + program.patience
        let simulation = Simulation(seed: manifest.seed, configuration: configuration)
        let end = until ?? (outcome == nil ? .nanoseconds(last) : nil)
        let ending = Mutex(Ending())
        do {
            try simulation.run { [self] in
                let clock = SessionClock()
                do {
                    let transport = try ReplayTransport(
                        self,
                        clock: clock,
                        comparison: comparison,
                        secrets: [ReplayedSession.secret] + typedSecrets(),
                        datagrams: program.datagrams
                    )
                    let screens = try ScreenComparison(self, clock: clock, comparison: comparison)
                    let device = try DeviceReplay(self, clock: clock, comparison: comparison)
                    ending.withLock { ($0.transport, $0.screens, $0.device) = (transport, screens, device) }
                    let wasCut = try await limited(to: end) { [self] in
                        try await program.run(
                            on: ReplayedSession(
                                self,
                                clock,
                                transport,
                                screens,
                                device,
                                comparison,
                                folder: folder.path
                            )
                        )
                    }
                    ending.withLock { $0.wasCut = wasCut }
                } catch let error as SessionError {
                    ending.withLock { $0.damage = error }
                } catch {
                    ending.withLock { $0.failure = SecretMask([ReplayedSession.secret]).masked("\(error)") }
                }
            }
        } catch {
            ending.withLock { $0.failure = "\(error)" }
        }
        let ended = ending.withLock { $0 }
        if let damage = ended.damage { throw damage }
        if !ended.wasCut, outcome != nil {
            ended.transport?.finish()
            ended.screens?.finish()
            ended.device?.finish()
        }
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            endings: endings(failure: ended.failure, wasCut: ended.wasCut),
            hashes: nil,
            seconds: Double(simulation.report.time.nanoseconds) / 1e9,
            recordingIsIncomplete: outcome == nil
        )
    }

    private func restoreFiles(in folder: String) throws {
        for (name, bytes) in try files() {
            let file = URL(filePath: folder).appending(path: name).standardizedFileURL
            guard file.path.hasPrefix(folder + "/") else {
                throw SessionError.damaged(path: path, detail: "a file in it has the name \(name)")
            }
            do {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(bytes).write(to: file)
            } catch {
                throw SessionError.damaged(
                    path: path,
                    detail: "a file in it, \(name), cannot be made: \(error.localizedDescription)"
                )
            }
        }
    }

    /// What stands for the secrets that users have typed, which the program sends instead of them.
    private func typedSecrets() throws(SessionError) -> [Secret] {
        let typed = try screens().filter { $0.kind == .action }.flatMap { action in
            action.json.matches(of: /"(•+)"/).map { String($0.1) }
        }
        return Set(typed).sorted().map { Secret($0) }
    }

    /// The time of the last thing that was sent, received, shown or done.
    private func lastMoment() throws(SessionError) -> Int64 {
        var last = try screens().last?.nanoseconds ?? 0
        for number in try connections().indices {
            for message in try messages(of: number) { last = max(last, message.nanoseconds) }
        }
        return last
    }
}

/// Runs `body` until it ends or virtual time is up.
///
/// Returns whether time was up.
private func limited(to limit: Duration?, _ body: @escaping @Sendable () async throws -> Void) async throws
    -> Bool
{
    guard let limit else {
        try await body()
        return false
    }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await body()
            return false
        }
        group.addTask {
            try await Task.sleep(for: limit)
            return true
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
    }
}
