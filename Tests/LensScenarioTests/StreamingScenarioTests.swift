import Concurrency
import FakeCamera
import Foundation
import GeminiServer
import JPEG
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

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

    @Test("the session is set up before the first frame, and over after the stop")
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
        "LENS-086 a stream opens one WebSocket to the Live API, and reads its answers before the first picture goes out"
    )
    func readsFirst() async throws {
        let steps = CurrentValue<[String]>([], backlog: 10_000)
        var options = LensOptions()
        options.adjust = { $0.model = OrderedModel(base: $0.model, steps: steps) }
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(10))
        #expect(world.gemini.record.handshakeCount == 1)
        #expect(world.gemini.record.sessions.map(\.version) == ["v1beta"])
        #expect(world.gemini.record.sessions.first.map { $0.frameCount > 0 } == true)
        // The picture leaves when somebody waits for what comes, however late that one was.
        let picture = try #require(steps.value.firstIndex(of: "picture"))
        #expect(steps.value[..<picture].contains("read"))
        #expect(world.lens.conversation.content.value.messages.first?.role == .assistant)
    }

    @Test("a key that is refused starts no stream, and is reported without the key")
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

    @Test("frames arrive as whole JPEGs of the camera's size, once and in order")
    func framesArrive() async throws {
        let world = try await stream()
        let frames = world.gemini.record.sessions.flatMap(\.frames)
        let numbers = frames.compactMap(\.inspection.number)
        #expect(frames.count >= 48)
        #expect(numbers.count == frames.count)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(frames.allSatisfy { $0.inspection.width == 320 && $0.inspection.height == 180 })
    }

    @Test("frames go out at exactly the set rate", arguments: [1, 2, 5, 10, 30])
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

    @Test("a changed rate takes effect while streaming")
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

    @Test("no frame reaches 204,800 bytes, also of noise")
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

    @Test("a camera's own JPEG below the limit arrives untouched")
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
        #expect(world.gemini.record.sessions[0].close == .normal)
        #expect(!world.lens.stream.state.value.isStreaming)
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
        #expect(world.lens.stream.state.value == StreamingState())
        #expect(world.gemini.record.sessions.map { $0.close != nil } == [true])
        try await world.onPhone { try await $0.startStreaming() }
        #expect(world.lens.stream.state.value.isStreaming)
    }

    @Test("a dropped session is reported with its code, and resumed")
    func dropped() async throws {
        let world = try await LensWorld.start()
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(6))
        world.base.arm("gemini.live.close", atMost: 1)
        try await Task.sleep(for: .milliseconds(500))
        #expect(!world.lens.stream.state.value.isConnected)
        #expect(world.lens.stream.state.value.error?.closeCode == 1011)
        try await Task.sleep(for: .seconds(30))
        #expect(world.lens.stream.state.value.isConnected)
        #expect(world.gemini.record.sessions.count == 2)
    }

    @Test("a service that stays away is given up after a bounded number of attempts")
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

    @Test("a service that does not read gets the newest frames, not a backlog")
    func slowService() async throws {
        var options = LensOptions()
        options.scene = .noise
        options.size = PixelSize(width: 640, height: 360)
        let world = try await LensWorld.start(options)
        world.base.arm("gemini.live.slowReader", values: ["seconds": 2])
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(40))
        let statistics = world.lens.stream.statistics.value
        #expect(statistics.framesSent < 150)
        #expect((statistics.dropped[.overrun] ?? 0) > 20)
        let numbers = world.gemini.record.sessions.flatMap(\.frames).compactMap(\.inspection.number)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
}

/// In a simulation in which no task has to wait for its turn, so that times are exact.
@Suite("Lens streaming step by step", .timeLimit(.minutes(10)))
struct StreamingLoopTests {
    @Test(
        "LENS-088 each picture is read, made small, encoded as base64 and sent, and then the loop sleeps"
    )
    func loop() throws {
        try Simulation(seed: 1).run { try await Self.loop() }
    }

    private static func loop() async throws {
        let steps = Box<[LoopStep]>([])
        var options = LensOptions()
        options.link = LinkConditions(latency: .constant(.milliseconds(1)))
        let size = PixelSize(width: 800, height: 450)
        let camera = NotedCamera(camera: FakeCamera(.init(size: size, scene: .noise)), steps)
        options.adjust = { environment in
            environment.cameras[.local] = { _ in camera }
            environment.streamEncoder = NotedEncoder(encoder: environment.streamEncoder, steps)
            environment.model = NotedModel(model: environment.model, steps)
        }
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .milliseconds(1_900))
        try await world.onPhone { await $0.stopStreaming() }
        let seen = steps.value
        #expect(seen.count == 1 + 10 * 3)
        #expect(seen.first?.name == "open")
        #expect(seen.dropFirst().map(\.name) == (0..<10).flatMap { _ in ["read", "encode", "send"] })
        // The first at once; the work of each is done before the next sleep is over.
        let reads = seen.filter { $0.name == "read" }.map(\.time)
        #expect(reads.first == seen.first?.time)
        #expect(zip(reads, reads.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(200) })
        let sent = seen.filter { $0.name == "send" }.map(\.jpeg)
        let isWhatWasEncoded = sent == seen.filter { $0.name == "encode" }.map(\.jpeg)
        #expect(isWhatWasEncoded)
        #expect(sent.allSatisfy { (60_000..<204_800).contains($0.count) })
        let arrived = world.gemini.record.sessions.flatMap(\.frames)
        #expect(arrived.map(\.byteCount) == sent.map(\.count))
        let isWhatArrived = arrived.last?.bytes == sent.last
        #expect(isWhatArrived)
    }
}

/// One step of the loop that streams.
private struct LoopStep: Sendable {
    var name: String
    var time = Simulation.current?.now ?? .zero
    var jpeg: [UInt8] = []
}

private struct NotedCamera: CameraSource {
    let camera: any CameraSource
    let steps: Box<[LoopStep]>

    init(camera: any CameraSource, _ steps: Box<[LoopStep]>) { (self.camera, self.steps) = (camera, steps) }

    func connect() async throws(CameraError) { try await camera.connect() }

    func disconnect() async { await camera.disconnect() }

    func latestFrame() async -> VideoFrame? {
        steps.append(LoopStep(name: "read"))
        return await camera.latestFrame()
    }

    var capabilities: CameraCapabilities { camera.capabilities }

    func states() -> AsyncStream<CameraState> { camera.states() }

    func frames(limit: Int) -> any FrameStream { camera.frames(limit: limit) }

    func apply(_ control: CameraControl) async throws(CameraError) { try await camera.apply(control) }
}

private struct NotedEncoder: FrameEncoder {
    let encoder: any FrameEncoder
    let steps: Box<[LoopStep]>

    init(encoder: any FrameEncoder, _ steps: Box<[LoopStep]>) {
        (self.encoder, self.steps) = (encoder, steps)
    }

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        let jpeg = try await encoder.encode(frame)
        steps.append(LoopStep(name: "encode", jpeg: jpeg))
        return jpeg
    }
}

private struct NotedModel: LiveModel {
    let model: any LiveModel
    let steps: Box<[LoopStep]>

    init(model: any LiveModel, _ steps: Box<[LoopStep]>) { (self.model, self.steps) = (model, steps) }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        let session = try await model.startSession(configuration)
        steps.append(LoopStep(name: "open"))
        return NotedSession(session: session, steps: steps)
    }
}

private struct NotedSession: LiveSession {
    let session: any LiveSession
    let steps: Box<[LoopStep]>

    func send(_ input: LiveInput) async throws(LiveModelError) {
        if case .frame(let jpeg) = input { steps.append(LoopStep(name: "send", jpeg: jpeg)) }
        try await session.send(input)
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent { try await session.nextEvent() }

    func close() async { await session.close() }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        session.cause(ofClose: code, reason: reason)
    }
}

/// A model whose sessions note what is asked of them, in order.
private struct OrderedModel: LiveModel {
    let base: any LiveModel
    let steps: CurrentValue<[String]>

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        OrderedSession(base: try await base.startSession(configuration), steps: steps)
    }
}

private struct OrderedSession: LiveSession {
    let base: any LiveSession
    let steps: CurrentValue<[String]>

    func send(_ input: LiveInput) async throws(LiveModelError) {
        if case .frame = input { steps.update { $0.append("picture") } }
        try await base.send(input)
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        steps.update { $0.append("read") }
        return try await base.nextEvent()
    }

    func close() async { await base.close() }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        base.cause(ofClose: code, reason: reason)
    }
}
