import SimulatedTransport
import SimulationTesting
import Testing
import VeepaCamera
import VeepaCameraSimulator

/// How many packets a camera leaves unacknowledged is not public, and differs.
@Suite("Veepa camera: windows of the sender", .simulated(seeds: 1...2))
struct WindowTests {
    @Test(arguments: [1, 4, 8, 64])
    func `pictures come at the camera's rate, however few packets it leaves unacknowledged`(window: Int)
        async throws
    {
        let world = VeepaWorld(
            conditions: LinkConditions(latency: .constant(.microseconds(500))),
            frameBytes: 30_000
        ) {
            $0.framesPerSecond = 15
            $0.window = window
        }
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        let start = ContinuousClock.now
        let frames = await camera.frames(60)
        // Four seconds, and what the first acknowledgements take that come late.
        #expect(frames.count == 60 && start.duration(to: .now) < .milliseconds(4_400))
        #expect(world.simulator.record.droppedFrames == 0)
        await camera.disconnect()
        await running.stop()
    }
}
