import PageKit
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

/// Cameras that stand still, and pages that read nothing for a while, round after round.
@Suite("The pace of the preview", .simulated(seeds: 1...20))
struct PreviewPaceTests {
    @Sendable private static func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        // Long enough for the camera to have another picture, so that only the pace holds the next one back.
        try await Task.sleep(for: .milliseconds(6))
        return [UInt8(truncatingIfNeeded: frame.sequence)]
    }

    private struct Pause: Sendable {
        var range: ClosedRange<Duration>
        /// Whether the camera gives its last picture again meanwhile, or none.
        var repeats: Bool
    }

    @Test func `after a pause of the camera or of the page there is no rush of pictures`() async throws {
        let start = ContinuousClock.now
        var pauses: [Pause] = []
        var end = Duration.zero
        for _ in 0..<3 {
            let begin = end + .milliseconds(.random(in: 500...1_500))
            end = begin + .milliseconds(.random(in: 200...3_000))
            pauses.append(Pause(range: begin...end, repeats: .random()))
        }
        let stream = PreviewStream(
            latestFrame: { [pauses] in
                var time = ContinuousClock.now - start
                if let pause = pauses.first(where: { $0.range.contains(time) }) {
                    if !pause.repeats { return nil }
                    time = pause.range.lowerBound
                }
                // Two hundred pictures a second, more than a page gets.
                let number = Int(time / .milliseconds(5))
                return VideoFrame(
                    sequence: number,
                    timestamp: .milliseconds(5 * number),
                    size: nil,
                    content: .jpeg([])
                )
            },
            encode: Self.encode
        )
        var times: [Duration] = []
        let idle = [end + .seconds(1), end + .seconds(4)]
        for try await _ in try await stream.body({}).chunks() {
            let now = ContinuousClock.now - start
            times.append(now)
            if now > idle[1] + .seconds(1) { break }
            if now > idle[0], now < idle[1] { try await Task.sleep(for: idle[1] - now) }
        }
        for (index, time) in times.enumerated() {
            let soon = times[index...].prefix { $0 < time + .milliseconds(200) }
            #expect(soon.count <= 7, "\(soon.count) pictures in the 200 ms after \(time)")
        }
        // Between pauses it is as fast as it may be.
        let first = times.filter { $0 < pauses[0].range.lowerBound }
        #expect(first.count >= Int(pauses[0].range.lowerBound / .milliseconds(40)) - 2)
        #expect(times.contains { $0 > idle[1] })
    }
}
