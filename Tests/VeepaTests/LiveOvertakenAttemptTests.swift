import LiveTransport
import Synchronization
import Testing
import VeepaCamera

/// Attempts that are overtaken in the moment in which they begin, which on one thread has no length.
@Suite("Attempts of a Wi-Fi camera on several threads", .timeLimit(.minutes(1)))
struct LiveOvertakenAttemptTests {
    private final class Attempts: Sendable {
        /// How many read their credentials.
        let underWay = Atomic(0)
        /// How many are over.
        let ended = Atomic(0)
    }

    @Test func `an attempt that a disconnect overtakes as it begins leaves nothing under way`() async throws {
        let attempts = Attempts()
        let camera = VeepaCamera(network: try LoopbackHost()) {
            attempts.underWay.add(1, ordering: .relaxed)
            defer { attempts.underWay.subtract(1, ordering: .relaxed) }
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
        for number in 0..<20_000 {
            async let attempt: Void = {
                _ = try? await camera.connect()
                attempts.ended.add(1, ordering: .releasing)
            }()
            // Again where it came before the attempt.
            while attempts.ended.load(ordering: .acquiring) == number {
                await camera.disconnect()
                await Task.yield()
            }
            await attempt
            try #require(attempts.underWay.load(ordering: .relaxed) == 0, "attempt \(number)")
        }
    }
}
