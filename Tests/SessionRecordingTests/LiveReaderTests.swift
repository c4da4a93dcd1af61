import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files that are read while they grow", .timeLimit(.minutes(2)))
struct LiveReaderTests {
    @Test func `reading a recording loses nothing of it, and shows its beginning`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("growing.lenssession")
        let writer = try SessionWriter(path: path, manifest: .sample)
        let isOver = Box(false)
        let reading = Task.detached {
            while !isOver.value {
                let steps = try SessionReader(path: path).events().map(\.step)
                #expect(steps == Array(0..<steps.count))
                await Task.yield()
            }
        }
        for step in 0..<300 {
            writer.add(TraceEvent(step: step, nanoseconds: 0, node: "a", kind: "state", detail: "\(step)"))
            // As the clock of a program does each second.
            writer.flush()
            await Task.yield()
        }
        try writer.finish(SessionOutcome(steps: 300, nanoseconds: 0, hash: 0, failure: nil))
        isOver.set(true)
        try await reading.value
        #expect(try SessionReader(path: path).events().count == 300)
    }
}
