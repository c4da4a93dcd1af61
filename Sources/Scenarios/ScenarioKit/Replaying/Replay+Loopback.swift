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
        var isTimeUp = false
    }

    /// What was recorded in the last second before an end, in nanoseconds, need not have come again by then.
    private static let slack: Int64 = 1_000_000_000

    func replayLoopback<Program: RecordedProgram>(
        _ type: Program.Type,
        until: Duration?,
        further: Duration
    ) throws -> ReplayReport {
        let program = try Program(self)
        let folder = try WorldFolder()
        try restore(files(), in: folder.path)
        let last = try lastMoment()
        let comparison = Comparison(isCutOff: outcome == nil)
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        configuration.startOfTime = .nanoseconds(manifest.startOfTime)
        // A program that never ends is a difference too, and has to be reported.
        let patience: Duration = .nanoseconds(max(last, outcome?.stoppedAt ?? 0)) + program.patience
        // A recording that stops before its end says nothing about what came then, and neither does one whose end is not wanted: all stops at once there.
        let end = until ?? (outcome == nil ? .nanoseconds(last) + max(.zero, further) : nil)
        // Nothing is compared after the end, nor while the program is stopped.
        configuration.maximumTime = end.map { $0 + .milliseconds(100) } ?? patience
        let simulation = Simulation(seed: manifest.seed, configuration: configuration)
        let ending = Mutex(Ending())
        do {
            try simulation.run { [self] in
                let clock = SessionClock()
                if let end {
                    Task {
                        try? await Task.sleep(for: end)
                        comparison.pause()
                    }
                }
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
                    try await program.run(
                        on: ReplayedSession(
                            self,
                            clock,
                            transport: transport,
                            screenLog: screens,
                            device: device,
                            actions: self.screens().filter { $0.kind == .action },
                            stoppedAt: outcome?.stoppedAt,
                            folder: folder.path
                        ) { maker in
                            try ReplayCamera(self, maker: maker, clock: clock, comparison: comparison)
                        }
                    )
                } catch let error as SessionError {
                    ending.withLock { $0.damage = error }
                } catch {
                    ending.withLock { $0.failure = "\(error)" }
                }
            }
        } catch SimulationError.timeLimit where end != nil {
            // How the program ends when it is stopped is not how it ended.
            ending.withLock { ($0.isTimeUp, $0.failure) = (true, nil) }
        } catch {
            ending.withLock { $0.failure = "\(error)" }
        }
        let ended = ending.withLock { $0 }
        if let damage = ended.damage { throw damage }
        comparison.resume()
        let endsEarly = ended.isTimeUp || outcome == nil
        let due = endsEarly ? min(last, end.map { Int64($0 / .nanoseconds(1)) } ?? last) - Self.slack : nil
        ended.transport?.finish(until: due)
        ended.screens?.finish(until: due)
        ended.device?.finish(until: due)
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            endings: endings(failure: ended.failure, wasCut: ended.isTimeUp),
            hashes: nil,
            seconds: min(Double(simulation.report.time.nanoseconds) / 1e9, (end ?? patience) / .seconds(1)),
            cutOffAt: outcome == nil && until.map { $0 >= .nanoseconds(last) } ?? true
                ? Double(last) / 1e9 : nil,
            next: comparison.next
        )
    }

    /// Puts the files of the recording into a folder.
    ///
    /// - Throws: `SessionError`.
    func restore(_ files: [String: [UInt8]], in folder: String) throws(SessionError) {
        for (name, bytes) in files {
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
    func typedSecrets() throws(SessionError) -> [Secret] {
        // Most actions have none, and one with a picture is long.
        let typed = try screens().filter { $0.kind == .action && $0.json.contains("•") }.flatMap { action in
            action.json.matches(of: /"(•+)"/).map { String($0.1) }
        }
        return Set(typed).sorted().map { Secret($0) }
    }
}
