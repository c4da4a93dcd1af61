import FakeCamera
import Services
import SimulationTesting
import Testing

/// Zooms and looks in any order, several within the time of one frame.
@Suite("Pictures of the drawn camera at every zoom", .simulated(seeds: 1...20))
struct ZoomedPictureTests {
    private struct Look: Hashable {
        var sequence: Int
        var zoom: Double
    }

    private static func bytes(_ frame: VideoFrame) -> [UInt8] {
        guard case .pixels(let picture) = frame.content else { return [] }
        return unsafe picture.withBytes { unsafe Array($0) }
    }

    @Test func `a picture shows the zoom that was asked for before it, also within one frame's time`()
        async throws
    {
        let camera = FakeCamera(.init(size: PixelSize(width: 160, height: 90), framesPerSecond: 10))
        try await camera.connect()
        try await Task.sleep(for: .milliseconds(250))
        var seen: [Look: [UInt8]] = [:]
        var zoom = 1.0
        for _ in 0..<20 {
            switch Int.random(in: 0...3) {
            case 0: try await Task.sleep(for: .milliseconds(100))
            case 1...2:
                zoom = [1, 1.5, 2, 3, 4].randomElement() ?? 1
                try await camera.apply(.zoom(zoom))
            default: break
            }
            let frame = try #require(await camera.latestFrame())
            let bytes = Self.bytes(frame)
            #expect(await camera.latestFrame().map(Self.bytes) == bytes, "asked twice, the same")
            for (look, other) in seen where look.sequence == frame.sequence {
                #expect((other == bytes) == (look.zoom == zoom))
            }
            seen[Look(sequence: frame.sequence, zoom: zoom)] = bytes
        }
        await camera.disconnect()
    }
}
