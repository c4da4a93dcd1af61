import Foundation
import SessionRecording
import Simulation

/// A process that records events until it is killed.
///
/// Arguments: the recording, and of how many seconds it keeps the last; all without. There are ten events in a second. Prints the number of events that were added after each; 16 of them are enough for a batch.
@main
struct SessionKeeper {
    static func main() throws {
        let last = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) }
        let writer = try SessionWriter(
            path: CommandLine.arguments[1],
            manifest: SessionManifest(
                scenario: "kept",
                fidelity: .simulated,
                seed: 1,
                parameters: [:],
                startOfTime: 0,
                recordedBy: "test"
            ),
            retention: Retention(last: last.map { .seconds($0) })
        )
        let detail = String(repeating: "detail! ", count: 1 << 13)
        for step in 0..<1_000_000 {
            writer.add(
                TraceEvent(
                    step: step,
                    nanoseconds: Int64(step) * 100_000_000,
                    node: "phone",
                    kind: "state",
                    detail: "\(detail)\(step)"
                )
            )
            try FileHandle.standardOutput.write(contentsOf: Data("\(step + 1)\n".utf8))
        }
    }
}
