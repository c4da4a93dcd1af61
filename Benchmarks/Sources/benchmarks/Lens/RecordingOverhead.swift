import Foundation
import LensScenarios
import ScenarioKit
import SessionRecording
import Simulation

/// What writing a session file costs: ten simulated minutes of streaming with and without it.
enum RecordingOverhead {
    private static let scenario = {
        var scenario = LensStreaming()
        scenario.seconds = 600
        return scenario
    }()

    static let benchmark = Benchmark(
        name: "recording",
        summary: "ten minutes of streaming with a session file, over the same without"
    ) { options in
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "session.lenssession").path
        let rounds = options.rounds ?? 5
        let (plain, events) = try await alternate(
            rounds: rounds,
            { try seconds { scenario.runSimulated(Recipe(seed: 1)) } },
            { try seconds { try scenario.record(Recipe(seed: 1), to: path) } }
        )
        let eventBytes = try size(of: path)
        let (bare, all) = try await alternate(
            rounds: rounds,
            { try PhoneStream(seconds: scenario.seconds, path: nil).run() },
            { try PhoneStream(seconds: scenario.seconds, path: path).run() }
        )
        return [
            Finding("recording.off", "core seconds", plain),
            Finding("recording.events", "core seconds", events),
            Finding("recording.events.ratio", "×", events.divided(by: plain)),
            Finding("recording.events.file", "MB", Samples([eventBytes])),
            Finding("recording.messages", "core seconds", all),
            Finding("recording.messages.ratio", "×", all.divided(by: bare)),
            Finding("recording.messages.file", "MB", Samples([try size(of: path)])),
        ]
    }

    private struct Failed: Error { var text: String }

    private static func seconds(_ run: () throws -> SeedOutcome) throws -> Double {
        let (outcome, elapsed) = try Elapsed.of(run)
        if let failure = outcome.failure { throw Failed(text: failure) }
        return elapsed.thread
    }

    private static func size(of path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? NSNumber).map { $0.doubleValue / 1e6 } ?? 0
    }
}
