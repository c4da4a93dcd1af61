import AppKernel
import Concurrency
import GeminiServer
import Lens
import Probes
import ScenarioKit
import Services
import Simulation

// A plan of faults, such as a swarm draws, makes a world worse than its scenario does. What a scenario checks is of two kinds:
// what holds always, which it states with `check`, and what holds when nothing goes wrong but what the scenario does itself,
// which it states with `checkUndisturbed`. What a user does may fail in a disturbed world, if the app says why: `attempt`.
extension LensWorld {
    /// Ends the scenario unless the condition holds, where no faults but the scenario's own disturb the world.
    ///
    /// - Throws: `PropertyViolation`.
    func checkUndisturbed(_ condition: Bool, _ property: String, _ seen: @autoclosure () -> String) throws {
        try base.checkUndisturbed(condition, property, seen())
    }

    /// Does what a user does with the stream; in a disturbed world it may fail with a typed error that the app shows.
    ///
    /// - Parameters:
    ///   - isStopped: Whether the user may stop meanwhile, and so needs no word of a failure.
    ///   - action: What the user does.
    /// - Returns: Whether it was done.
    /// - Throws: What it throws in an undisturbed world, and what no fault of a peer or a network explains.
    func attempt(
        isStopped: Bool = false,
        _ action: @escaping @Sendable (LensApp) async throws -> Void
    ) async throws -> Bool {
        do {
            try await onPhone(action)
            return true
        } catch let error as LiveModelError where base.isDisturbed {
            let state = lens.stream.state.value
            // Another tap may have begun the stream again, or ended it.
            let isSaid = state.error == error || state.phase != .idle || state.error?.code == .cancelled
            try check(
                isSaid || isStopped || error.code == .cancelled,
                "an app that cannot stream says why",
                "\(state.error.map { "\($0)" } ?? "nothing") instead of \(error)"
            )
            return false
        }
    }

    /// A stream that has ended by itself says why.
    func checkStream() throws {
        let state = lens.stream.state.value
        try check(
            state.phase != .idle || state.error != nil,
            "an app that gives up says why",
            "\(state.phase)"
        )
    }

    /// Ends a story early that cannot go on, since its world is disturbed: what holds always holds here too.
    ///
    /// - Throws: `PropertyViolation`.
    func endEarly() async throws -> ScenarioSummary {
        sometimes("a story in a disturbed world ends early")
        try await onPhone { await $0.stopStreaming() }
        try watch.checkStopped()
        try watch.checkConversation()
        try watch.checkSpeech()
        try await shutdown()
        return ScenarioSummary(["sessions": gemini.record.sessions.count])
    }
}
