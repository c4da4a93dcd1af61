import Concurrency
import GeminiServer
import Lens
import LensScenarios
import ScenarioKit
import Services

/// The phone is killed while it streams, and started again.
struct KilledStream: LensScenario {
    static let name = "killed-stream"
    static let summary = "a process that is killed leaves no session open at the service"
    static let needsSimulatedNetwork = false
    static let settings: [Setting<Self>] = []

    var size = PixelSize(width: 320, height: 180)

    func run() async throws -> ScenarioSummary {
        let world = try await LensWorld.start()
        try await world.onPhone { try await $0.startStreaming() }
        for await frames in world.lens.stream.statistics.values() where frames.framesSent > 0 { break }
        try await world.restartPhone()
        while world.gemini.record.sessions.contains(where: { $0.close == nil }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await world.shutdown()
        return ScenarioSummary(["sessions": world.gemini.record.sessions.count])
    }
}
