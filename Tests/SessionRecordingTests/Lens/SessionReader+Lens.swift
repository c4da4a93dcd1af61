import LensScenarios
import ScenarioKit
import SessionRecording

extension SessionReader {
    /// Replays a session of the app.
    func replay(until: Duration? = nil, further: Duration = .zero) throws -> ReplayReport {
        try replay(with: .lens, until: until, further: further)
    }
}
