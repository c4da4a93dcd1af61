import Services
import SimulatedV4L2
import Simulation
import SimulationTesting
import Testing
import V4L2Camera

@Suite("Numbers of V4L2 frames over a restart of the stream", .simulated(seeds: 1...3))
struct RestartedStreamTests {
    @Test(arguments: [1, 2, 5, 9], [0, 1, 3])
    func `frames that are lost right after a restart leave a gap, as those before it do`(
        before: Int,
        lost: Int
    ) async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera(controls: [.brightness])])
        Simulation.current?.arm(faultPoint: "v4l2.queue.failed", skipping: before, atMost: 1)
        // The driver counts from 0 again, and its first frames do not come.
        if lost > 0 { Simulation.current?.arm(faultPoint: "v4l2.frame.lost", skipping: before, atMost: lost) }
        let camera = V4L2Camera(
            path: "/dev/video0",
            options: .init(size: PixelSize(width: 64, height: 48), patience: .seconds(1)),
            system: system
        )
        try await camera.connect()
        let frames = camera.frames(limit: 100)
        var numbers: [Int] = []
        while numbers.count < before + 12, let frame = await frames.next() { numbers.append(frame.sequence) }
        #expect(numbers == Array(0..<before) + Array(before + lost..<before + lost + 12))
        let statistics = try #require(camera.statistics)
        #expect(statistics.restarts == 1 && statistics.lost == lost)
        await camera.disconnect()
        #expect(system.openCount == 0 && system.mappedCount == 0)
    }
}
