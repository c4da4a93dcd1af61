import AppKernel
import FakeCamera
import Foundation
import GeminiServer
import JPEG
import Lens
import LensScenarios
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing

@Suite("Lens streaming in its world", .simulated(seeds: 1...10))
struct StreamingScenarioTests {
    /// Streams for some seconds and stops.
    private func stream(_ options: LensOptions = LensOptions(), seconds: Int = 10) async throws -> LensWorld {
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(seconds))
        try await world.onPhone { await $0.stopStreaming() }
        return world
    }

    @Test("LENS-085 LENS-115 the session is set up before the first frame, and over after the stop")
    func setupFirst() async throws {
        let world = try await LensWorld.start()
        #expect(!world.lens.stream.state.value.isConnected)
        try await world.onPhone { try await $0.startStreaming() }
        #expect(world.lens.stream.state.value.isConnected)
        #expect(world.gemini.record.sessions.map(\.isAccepted) == [true])
        #expect(world.gemini.record.sessions[0].frameCount == 0)
        try await Task.sleep(for: .seconds(2))
        #expect(world.gemini.record.sessions[0].frameCount > 0)
        try await world.onPhone { await $0.stopStreaming() }
        #expect(!world.lens.stream.state.value.isConnected)
        #expect(!world.lens.stream.state.value.isStreaming)
    }

    @Test(
        "LENS-086 a stream opens one WebSocket to the Live API, and hears answers before its first picture goes out"
    )
    func answersFirst() async throws {
        let isCovered = CurrentValue(true)
        var options = LensOptions()
        let camera = CoveredCamera(isCovered: isCovered)
        options.adjust = { $0.cameras[.local] = { _ in camera } }
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        // The first question is asked without a picture after a while.
        for _ in 0..<100 where world.lens.conversation.content.value.messages.isEmpty {
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(world.lens.conversation.content.value.messages.first?.role == .assistant)
        #expect(world.gemini.record.handshakeCount == 1)
        #expect(world.gemini.record.sessions.map(\.version) == ["v1beta"])
        #expect(world.gemini.record.sessions.map(\.frameCount) == [0])
        isCovered.set(false)
        try await Task.sleep(for: .seconds(2))
        #expect(world.gemini.record.handshakeCount == 1)
        #expect(world.gemini.record.sessions.first.map { $0.frameCount > 0 } == true)
    }

    @Test("LENS-087 a key that is refused starts no stream, and is reported without the key")
    func refusedKey() async throws {
        var options = LensOptions()
        options.gemini = GeminiServerSettings(keys: ["another"])
        let world = try await LensWorld.start(options)
        let error = await #expect(throws: LiveModelError.self) {
            try await world.onPhone { try await $0.startStreaming() }
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.description.contains(LensOptions.modelKey) == false)
        #expect(!world.lens.stream.state.value.isStreaming)
        try await Task.sleep(for: .seconds(5))
        #expect(world.gemini.record.sessions.map(\.frameCount) == [0])
    }

    @Test(
        "LENS-088 LENS-091 LENS-098 LENS-099 frames arrive as whole JPEGs of the camera's size, once and in order"
    )
    func framesArrive() async throws {
        let world = try await stream()
        let frames = world.gemini.record.sessions.flatMap(\.frames)
        let numbers = frames.compactMap(\.inspection.number)
        #expect(frames.count >= 48)
        #expect(numbers.count == frames.count)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(frames.allSatisfy { $0.inspection.width == 320 && $0.inspection.height == 180 })
    }

    @Test("LENS-100 LENS-101 frames go out at exactly the set rate", arguments: [1, 2, 5, 10, 30])
    func pacing(rate: Int) async throws {
        var options = LensOptions()
        options.streamRate = rate
        options.cameraRate = 60
        options.size = PixelSize(width: 160, height: 90)
        options.link = LinkConditions(latency: .constant(.milliseconds(1)))
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        let before = world.lens.stream.statistics.value.framesSent
        try await Task.sleep(for: .seconds(4))
        let sent = world.lens.stream.statistics.value.framesSent - before
        #expect(abs(sent - 4 * rate) <= 1)
        #expect(world.lens.stream.statistics.value.dropped[.overrun] == nil)
    }

    @Test("LENS-101 a changed rate takes effect while streaming")
    func changedRate() async throws {
        let world = try await LensWorld.start()
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(3))
        world.lens.settings.update { $0.framesPerSecond = 10 }
        try await Task.sleep(for: .seconds(1))
        let before = world.lens.stream.statistics.value.framesSent
        try await Task.sleep(for: .seconds(4))
        #expect(abs(world.lens.stream.statistics.value.framesSent - before - 40) <= 2)
    }

    @Test("LENS-092 LENS-093 LENS-094 LENS-095 no frame reaches 204,800 bytes, also of noise")
    func limit() async throws {
        var options = LensOptions()
        options.scene = .noise
        options.size = PixelSize(width: 800, height: 450)
        let world = try await stream(options, seconds: 2)
        let frames = world.gemini.record.sessions.flatMap(\.frames)
        #expect(frames.count >= 8)
        #expect(frames.allSatisfy { $0.byteCount < 204_800 })
        #expect(frames.contains { $0.byteCount > 60_000 })
    }

    @Test("LENS-097 a camera's own JPEG below the limit arrives untouched")
    func passThrough() async throws {
        let frames = try PreparedFrames.make(size: PixelSize(width: 320, height: 180), count: 4)
        var options = LensOptions()
        options.scene = .prepared(frames)
        let world = try await stream(options, seconds: 2)
        let kept = world.gemini.record.sessions.flatMap(\.frames).compactMap(\.bytes)
        #expect(!kept.isEmpty)
        #expect(kept.allSatisfy { frames.files.contains($0) })
    }

    @Test func `the server reads in each prepared frame the number that stands in it`() async throws {
        let frames = try PreparedFrames.make(size: PixelSize(width: 320, height: 180))
        var options = LensOptions()
        options.scene = .prepared(frames)
        let world = try await stream(options, seconds: 2)
        let seen = world.gemini.record.sessions.flatMap(\.frames)
        #expect(seen.allSatisfy { $0.inspection.width == 320 && $0.inspection.height == 180 })
        // The record keeps the bytes of some only.
        let kept = seen.filter { $0.bytes != nil }
        #expect(!kept.isEmpty)
        for frame in kept {
            let number = frame.bytes.flatMap { frames.files.firstIndex(of: $0) }
            #expect(frame.inspection.number == number)
        }
    }

    @Test func `prepared frames of one size are the same whenever they are made`() throws {
        let size = PixelSize(width: 160, height: 90)
        let first = try PreparedFrames.make(size: size, count: 3)
        let other = try PreparedFrames.make(size: PixelSize(width: 320, height: 180), count: 3)
        let again = try PreparedFrames.make(size: size, count: 3)
        #expect(first.files.count == 3 && Set(first.files).count == 3)
        #expect(first.files != other.files)
        #expect(again.files == first.files)
    }

    @Test("LENS-103 no frame goes out after the stop has returned")
    func stop() async throws {
        let world = try await stream(seconds: 3)
        let sent = world.lens.stream.statistics.value.framesSent
        try await Task.sleep(for: .seconds(60))
        #expect(world.lens.stream.statistics.value.framesSent == sent)
        #expect(world.gemini.record.sessions.map(\.frameCount).reduce(0, +) <= sent)
        #expect(world.gemini.record.sessions[0].close != nil)
    }

    @Test("LENS-104 starting twice makes one loop and one session, stopping twice is harmless")
    func startTwice() async throws {
        let world = try await LensWorld.start()
        try await world.onPhone { lens in
            try await lens.startStreaming()
            try? await lens.startStreaming()
        }
        try await Task.sleep(for: .seconds(4))
        #expect(abs(world.lens.stream.statistics.value.framesSent - 20) <= 2)
        #expect(world.gemini.record.sessions.count == 1)
        try await world.onPhone { lens in
            await lens.stopStreaming()
            await lens.stopStreaming()
        }
    }

    @Test("LENS-105 LENS-114 a dropped session is reported with its code, and resumed")
    func dropped() async throws {
        let world = try await LensWorld.start()
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(6))
        world.arm("gemini.live.close", atMost: 1)
        try await Task.sleep(for: .milliseconds(500))
        #expect(!world.lens.stream.state.value.isConnected)
        #expect(world.lens.stream.state.value.error?.closeCode == 1011)
        try await Task.sleep(for: .seconds(30))
        #expect(world.lens.stream.state.value.isConnected)
        #expect(world.gemini.record.sessions.count == 2)
    }

    @Test("LENS-105 a service that stays away is given up after a bounded number of attempts")
    func givesUp() async throws {
        let world = try await LensWorld.start()
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(3))
        world.network.partition(["phone"], ["gemini"])
        world.network.reset("phone", "gemini")
        try await Task.sleep(for: .seconds(3600))
        #expect(!world.lens.stream.state.value.isStreaming)
        #expect(world.lens.stream.state.value.error != nil)
        #expect(world.gemini.record.sessions.count == 1)
    }

    @Test("LENS-106 a service that does not read gets the newest frames, not a backlog")
    func slowService() async throws {
        var options = LensOptions()
        options.scene = .noise
        options.size = PixelSize(width: 640, height: 360)
        let world = try await LensWorld.start(options)
        world.arm("gemini.live.slowReader", values: ["seconds": 2])
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(40))
        let statistics = world.lens.stream.statistics.value
        #expect(statistics.framesSent < 150)
        #expect((statistics.dropped[.overrun] ?? 0) > 20)
        let numbers = world.gemini.record.sessions.flatMap(\.frames).compactMap(\.inspection.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
}

/// A camera whose pictures nobody sees before its cover is taken off.
private struct CoveredCamera: CameraSource {
    let camera = FakeCamera()
    let isCovered: CurrentValue<Bool>

    func connect() async throws(CameraError) { try await camera.connect() }

    func disconnect() async { await camera.disconnect() }

    func latestFrame() async -> VideoFrame? { isCovered.value ? nil : await camera.latestFrame() }
}
