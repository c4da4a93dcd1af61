import Files
import Foundation
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@testable import Lens

@Suite(
    "Clips that come, are sent and are swept at once",
    .simulated(seeds: 1...25, configuration: .shortWaits)
)
struct ClipOverlapTests {
    @Test func `no clip that a message has is ever removed, and no other is left`() async throws {
        let storage = try AppStorage()
        let documents = FileFolder(path: storage.path("documents"), on: storage.files)
        let clips = ChatClips(documents: documents)
        let movie = try Clip.movie(1)
        let gates = Gates()
        // The names that messages have.
        let kept = Mutex<Set<String>>([])
        let failures = Mutex<[String]>([])
        @Sendable func note(_ error: any Error) { failures.withLock { $0.append("\(error)") } }
        let overlap = Overlap(
            gates: gates,
            actions: [
                {
                    do {
                        let id = try await clips.take(Clip.pieces(movie))
                        await gates.pass()
                        kept.withLock { _ = $0.insert(ChatClips.fileName(of: id)) }
                        clips.release(id)
                    } catch { note(error) }
                },
                {
                    do {
                        let id = try await clips.take(Clip.pieces(movie))
                        await gates.pass()
                        clips.discard(id)
                    } catch { note(error) }
                },
                {
                    do {
                        try await clips.sweep {
                            await gates.pass()
                            let names = kept.withLock(\.self)
                            await gates.pass()
                            return names
                        }
                    } catch { note(error) }
                },
                {
                    // A conversation is cleared: its clips are nobody's.
                    if Int.random(in: 0..<4) == 0 { kept.withLock { $0 = [] } }
                },
            ]
        )
        for _ in 0..<3 {
            await overlap.round(40)
            let names = kept.withLock(\.self)
            #expect(Set(clips.files).isSuperset(of: names), "\(names.subtracting(clips.files)) were removed")
            try await clips.sweep { names }
            #expect(Set(clips.files) == names)
            #expect(failures.withLock(\.self) == [])
        }
    }
}
