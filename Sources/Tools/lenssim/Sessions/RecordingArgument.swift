import ArgumentParser
import CommandKit
import Exploration
import ScenarioKit
import SessionRecording
import Simulation

/// A recording in the place of a scenario, as commands name it.
struct RecordingArgument: ParsableArguments {
    @Option(
        help:
            "Instead of a scenario: a recording, whose program runs with the recorded answers, in other orders.",
        completion: .file(extensions: ["lenssession"])
    )
    var from: String?

    /// The recording as something to explore; `nil` where none is named.
    ///
    /// - Throws: `SessionError`, `ReplayError`.
    func explored() throws -> ExploredFile? {
        guard let from else { return nil }
        let session = try SessionReader(path: from)
        return ExploredFile(
            program: try session.program(with: Apps.scenarios),
            recipe: session.manifest.fidelity == .simulated ? try session.recipe() : nil
        )
    }

    /// Refuses other sources of runs beside a recording.
    ///
    /// - Throws: `ValidationError`.
    func refuse(_ others: KeyValuePairs<String, Bool>) throws {
        guard from != nil, let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("--from names what is run: give it without \(other).")
    }
}

/// What a recording gives a search.
struct ExploredFile {
    /// What is run.
    var program: Program
    /// The run that was recorded, of a simulated one.
    var recipe: Recipe?
}
