import Concurrency
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import VeepaCamera
import VeepaCameraSimulator

/// What must be the same in every round: after a loss, a damaged picture, or a time in which the camera stood still.
@Suite("Veepa camera: round after round", .simulated(seeds: 1...6))
struct SecondRoundTests {
    @Test
    func `a camera may be lost and found more often than there are retries, and each loss counts from one`()
        async throws
    {
        let world = VeepaWorld()
        var running = try await world.start()
        let camera = world.client {
            $0.reconnect = RetryPolicy(retries: 2, first: .seconds(1), longest: .seconds(1))
        }
        let attempts = Box<[Int]>([])
        let watched = camera.connectionStates()
        let watching = Task {
            for await state in watched {
                if case .reconnecting(_, let attempt) = state { attempts.append(attempt) }
            }
        }
        try await camera.connect()
        for round in 1...5 {
            #expect(await camera.frames(3).count == 3, "round \(round)")
            await running.stop()
            #expect(
                await camera.reaches { if case .reconnecting = $0 { true } else { false } },
                "round \(round)"
            )
            running = try await world.start()
            #expect(await camera.reaches { $0 == .connected }, "round \(round)")
        }
        #expect(attempts.value == [1, 1, 1, 1, 1])
        await camera.disconnect()
        await running.stop()
        watching.cancel()
        await watching.value
    }

    @Test func `each damaged picture leaves one gap in the numbers, and whole ones behind it none`()
        async throws
    {
        let world = VeepaWorld()
        let running = try await world.start()
        let camera = world.client()
        try await camera.connect()
        for round in 1...3 {
            let frames = camera.frames(limit: 32)
            var numbers = [try #require(await frames.next()).sequence]
            world.arm("veepa.frame.malformed", atMost: 1)
            while numbers.count < 12, let frame = await frames.next() { numbers.append(frame.sequence) }
            let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
            #expect(
                steps.filter { $0 == 1 }.count == 10 && steps.filter { $0 == 2 }.count == 1,
                "round \(round)"
            )
            #expect(await camera.statistics.badFrames == round)
        }
        await camera.disconnect()
        await running.stop()
    }

    @Test func `a simulated camera that stood still does not make up for its frames`() async throws {
        let world = VeepaWorld()
        let node = try #require(Simulation.current?.node("camera"))
        // On a node of its own, which can stand still.
        let running = try await node.run { try await world.start() }
        let camera = world.client()
        try await camera.connect()
        for round in 1...3 {
            #expect(await camera.frames(5).count == 5, "round \(round)")
            node.pause()
            let before = world.simulator.record.frames
            try await Task.sleep(for: .seconds(2))
            #expect(world.simulator.record.frames == before, "it stands still, round \(round)")
            node.resume()
            try await Task.sleep(for: .seconds(1))
            // Ten a second, and one that was due.
            #expect((9...12).contains(world.simulator.record.frames - before), "round \(round)")
        }
        await camera.disconnect()
        await running.stop()
    }
}
