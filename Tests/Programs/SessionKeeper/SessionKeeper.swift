import Foundation
import SessionRecording
import Simulation

/// A process that records events until it is killed.
///
/// Argument: the recording. Prints the number of events that were added after each; 16 of them are enough for a batch.
@main
struct SessionKeeper {
    static func main() throws {
        let writer = try SessionWriter(
            path: CommandLine.arguments[1],
            manifest: SessionManifest(
                scenario: "kept",
                fidelity: .simulated,
                seed: 1,
                parameters: [:],
                startOfTime: 0,
                recordedBy: "test"
            )
        )
        let detail = String(repeating: "detail! ", count: 1 << 13)
        for step in 0..<1_000_000 {
            writer.add(
                TraceEvent(
                    step: step,
                    nanoseconds: 5,
                    node: "phone",
                    kind: "state",
                    detail: "\(detail)\(step)"
                )
            )
            try FileHandle.standardOutput.write(contentsOf: Data("\(step + 1)\n".utf8))
        }
    }
}
