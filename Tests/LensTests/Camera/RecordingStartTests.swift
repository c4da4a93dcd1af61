import Concurrency
import Files
import Lens
import Services
import SimulationTesting
import Testing

/// Recordings that are being started: what ends them, and what does not.
@Suite("Starting a recording", .simulated(seeds: 1...3, configuration: .shortWaitsInExactTime))
struct RecordingStartTests {
    private func connected() async throws -> AppFixture {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        try await fixture.app.camera.connect()
        fixture.local.show(Movie.frame(0))
        return fixture
    }

    @Test
    func `the end of an app waits for a recording that is only being started, of which nothing is left`()
        async throws
    {
        let (gate, ends) = (CurrentValue(true), CurrentValue(0))
        let fixture = try await connected()
        let recorder = VideoRecorder(
            encoder: HeldEncoder(gate: gate),
            documents: fixture.documents,
            library: fixture.app.library,
            thumbnails: fixture.app.thumbnails,
            frames: { [camera = fixture.local] limit throws(CameraError) in camera.frames(limit: limit) },
            ended: {
                try? await Task.sleep(for: .seconds(1))
                ends.update { $0 += 1 }
            }
        )
        gate.set(false)
        let starting = Task { try await recorder.start(wantsUpload: false) }
        await recorder.status.reaches { $0.phase == .starting }
        try await Task.sleep(for: .milliseconds(100))
        let stopping = Task {
            #expect(await recorder.stop() == nil)
            // The first picture was encoded, and what follows a recording was done.
            #expect(gate.value && ends.value == 1 && recorder.status.value.phase == .idle)
        }
        try await Task.sleep(for: .milliseconds(100))
        gate.set(true)
        await stopping.value
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await starting.value }
        #expect(fixture.documents.names().isEmpty)
        await fixture.app.shutdown()
    }

    @Test func `a first picture that comes at the very end of the patience does not end the recording`()
        async throws
    {
        let fixture = try await connected()
        fixture.local.hide()
        await fixture.app.camera.disconnect()
        try await fixture.app.camera.connect()
        let starting = Task { try await fixture.app.startRecording() }
        await fixture.app.recorder.status.reaches { $0.phase == .starting }
        let showing = Task { [camera = fixture.local] in
            try await Task.sleep(for: VideoRecorder.patience)
            camera.show(Movie.frame(1))
        }
        try await showing.value
        // Whichever was first: what has begun goes on.
        guard (try? await starting.value) != nil else { return await fixture.app.shutdown() }
        try await fixture.local.show(2...9)
        #expect(fixture.app.recorder.status.value.phase == .recording)
        await fixture.app.shutdown()
    }
}

/// Passes pictures on while a gate is open.
private struct HeldEncoder: FrameEncoder {
    let gate: CurrentValue<Bool>

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        await gate.reaches { $0 }
        return try await PassingEncoder().encode(frame)
    }
}
