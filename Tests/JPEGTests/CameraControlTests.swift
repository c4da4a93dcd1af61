import FakeCamera
import Foundation
import ImageFolderCamera
import JPEG
import Services
import Simulation
import TestSupport
import Testing

@Suite("Frames, states and controls of cameras")
struct CameraControlTests {
    private func simulated(_ body: @escaping @Sendable () async throws -> Void) throws {
        try Simulation(seed: 1).run { try await body() }
    }

    private func numbers(_ count: Int, of frames: any FrameStream) async -> [Int] {
        var numbers: [Int] = []
        for _ in 0..<count { if let frame = await frames.next() { numbers.append(frame.sequence) } }
        return numbers
    }

    @Test func `frames come in order from the newest on, each at its time`() throws {
        try simulated {
            let camera = FakeCamera(.init(framesPerSecond: 10))
            try await camera.connect()
            let beginning = ContinuousClock.now
            try await Task.sleep(for: .milliseconds(250))
            let frames = camera.frames(limit: 3)
            for number in 2..<8 {
                let frame = await frames.next()
                #expect(frame?.sequence == number)
                #expect(frame?.timestamp == .milliseconds(100 * number))
                #expect(ContinuousClock.now - beginning == .milliseconds(max(250, 100 * number)))
            }
            #expect(frames.dropped == 0)
        }
    }

    @Test func `a late reader gets as many as may wait, and what is dropped is counted`() throws {
        try simulated {
            let camera = FakeCamera(.init(framesPerSecond: 10))
            try await camera.connect()
            let frames = camera.frames(limit: 3)
            #expect(await frames.next()?.sequence == 0)
            try await Task.sleep(for: .milliseconds(1_050))
            #expect(await numbers(4, of: frames) == [8, 9, 10, 11])
            #expect(frames.dropped == 7)
        }
    }

    @Test func `the frames of a connection end with it, and with its reader`() throws {
        try simulated {
            let camera = FakeCamera(.init(framesPerSecond: 10))
            try await camera.connect()
            let frames = camera.frames(limit: 3)
            _ = await frames.next()
            await camera.disconnect()
            try await camera.connect()
            #expect(await frames.next() == nil, "frames of another connection")
            let others = camera.frames(limit: 3)
            _ = await others.next()
            let reading = Task { await others.next() }
            reading.cancel()
            #expect(await reading.value == nil)
            #expect(await others.next()?.sequence == 1)
        }
    }

    @Test func `a lost camera is known in the moment in which its cable is pulled`() throws {
        try simulated {
            let camera = FakeCamera(
                .init(startup: .seconds(1), faults: [.unplug(at: .seconds(5), until: .seconds(6))])
            )
            let beginning = ContinuousClock.now
            try await camera.connect()
            let frames = camera.frames(limit: 3)
            var states = camera.states().makeAsyncIterator()
            #expect(await states.next() == .connected)
            #expect(await states.next() == .lost(.deviceNotFound))
            #expect(ContinuousClock.now - beginning == .seconds(5))
            while await frames.next() != nil {}
            #expect(ContinuousClock.now - beginning == .seconds(5))
            try await Task.sleep(for: .seconds(2))
            try await camera.connect()
            #expect(await states.next() == .connected)
            await camera.disconnect()
            #expect(await states.next() == .disconnected)
        }
    }

    @Test func `zoom enlarges the middle of the scene and leaves the code, until the next connection`() throws
    {
        try simulated {
            let size = PixelSize(width: 320, height: 176)
            let camera = FakeCamera(.init(size: size, framesPerSecond: 0.001))
            #expect(camera.capabilities.zoom == 1...4)
            try await camera.connect()
            let whole = try #require(await camera.latestFrame()).pixels
            try await camera.apply(.zoom(2))
            let frame = try #require(await camera.latestFrame())
            #expect(FrameCode.read(from: frame.pixels)?.sequence == 0)
            let (old, new) = (Pictures.bytes(of: whole), Pictures.bytes(of: frame.pixels))
            // Below the code, in each plane: its start, its width and height, and its first row.
            let planes = [
                (0, 320, 176, 60), (320 * 176, 160, 88, 30), (320 * 176 + 160 * 88, 160, 88, 30),
            ]
            for (start, width, height, first) in planes {
                var differing = 0
                for row in first..<height {
                    for column in 0..<width {
                        let source = start + (height / 4 + row / 2) * width + width / 4 + column / 2
                        differing += new[start + row * width + column] == old[source] ? 0 : 1
                    }
                }
                #expect(differing == 0)
            }
            #expect(new != old)
            #expect(await camera.frames(limit: 1).next().map { Pictures.bytes(of: $0.pixels) } == new)
            await camera.disconnect()
            try await camera.connect()
            #expect(await camera.latestFrame().map { Pictures.bytes(of: $0.pixels) } == old)
        }
    }

    @Test func `controls that a camera does not have, or while it is off, are errors`() throws {
        let folder = try TemporaryFolder()
        let file = try JPEGEncoder().encode(Pictures.gradient(64, 32), quality: 50)
        try folder.write(file, to: "photo.jpg")
        try simulated {
            let drawn = FakeCamera()
            await #expect(throws: CameraError.deviceNotFound) { try await drawn.apply(.zoom(2)) }
            try await drawn.connect()
            try await drawn.apply(.focus(FocusPoint(x: 0, y: 1)))
            #expect(drawn.focusPoint == FocusPoint(x: 0, y: 1))
            let wrong: [CameraControl] = [
                .zoom(0.9), .zoom(4.1), .zoom(.nan), .focus(FocusPoint(x: -0.1, y: 0)),
                .focus(FocusPoint(x: 0, y: 1.1)), .focus(FocusPoint(x: .nan, y: 0)),
            ]
            for control in wrong {
                await #expect(throws: CameraError.configurationFailed) { try await drawn.apply(control) }
            }
            #expect(drawn.focusPoint == FocusPoint(x: 0, y: 1))
            let files: [any CameraSource] = [
                FakeCamera(.init(scene: .prepared([file]))), ImageFolderCamera(path: folder.path),
            ]
            for camera in files {
                #expect(camera.capabilities.zoom == 1...1 && !camera.capabilities.hasFocusPoint)
                await #expect(throws: CameraError.deviceNotFound) { try await camera.apply(.zoom(2)) }
                try await camera.connect()
                for control in [.zoom(2), .focus(FocusPoint(x: 0, y: 0))] as [CameraControl] {
                    await #expect(throws: CameraError.configurationFailed) { try await camera.apply(control) }
                }
            }
        }
    }

    @Test func `a folder's pictures come at their rate, and its camera has states`() throws {
        let folder = try TemporaryFolder()
        for number in 0..<3 {
            let picture = try JPEGEncoder().encode(Pictures.gradient(64, 32 + number), quality: 50)
            try folder.write(picture, to: "\(number).jpg")
        }
        try simulated {
            let camera = ImageFolderCamera(path: folder.path, framesPerSecond: 4)
            var states = camera.states().makeAsyncIterator()
            #expect(await states.next() == .disconnected)
            try await camera.connect()
            #expect(await states.next() == .connected)
            let beginning = ContinuousClock.now
            let frames = camera.frames(limit: 2)
            for number in 0..<5 {
                let frame = await frames.next()
                #expect(frame?.sequence == number && frame?.size?.height == 32 + number % 3)
                #expect(ContinuousClock.now - beginning == .milliseconds(250 * number))
            }
            await camera.disconnect()
            #expect(await states.next() == .disconnected)
            #expect(await frames.next() == nil)
        }
    }

    @Test func `a camera that is connected refuses another connecting and stays so`() throws {
        let folder = try TemporaryFolder()
        try folder.write(try JPEGEncoder().encode(Pictures.gradient(64, 32), quality: 50), to: "photo.jpg")
        try simulated {
            for camera in [FakeCamera(), ImageFolderCamera(path: folder.path)] as [any CameraSource] {
                try await camera.connect()
                await #expect(throws: CameraError.sessionAlreadyRunning) { try await camera.connect() }
                #expect(await camera.latestFrame() != nil)
            }
        }
    }

    @Test func `a device of another size, or that does not start, is not connected`() async {
        let faults: [(FakeCamera.Fault, CameraError)] = [
            (.wrongSize, .inputConfigurationFailed), (.doesNotStart, .sessionStartFailed),
        ]
        for (fault, error) in faults {
            let camera = FakeCamera(.init(faults: [fault]))
            await #expect(throws: error) { try await camera.connect() }
            #expect(await camera.latestFrame() == nil)
        }
    }

    @Test func `a queue of frames drops the oldest, and gives what waits when it has ended`() async {
        let queue = FrameQueue(limit: 2)
        func frame(_ number: Int) -> VideoFrame {
            VideoFrame(sequence: number, timestamp: .zero, size: nil, content: .jpeg([]))
        }
        for number in 0..<5 { #expect(queue.add(frame(number))) }
        #expect(queue.dropped == 3)
        queue.end()
        #expect(!queue.add(frame(5)))
        #expect(await numbers(3, of: queue) == [3, 4])
        let other = FrameQueue(limit: 1)
        let reading = Task { await other.next() }
        reading.cancel()
        #expect(await reading.value == nil)
        let waiting = Task { await other.next()?.sequence }
        other.add(frame(7))
        #expect(await waiting.value == 7)
        let last = Task { await other.next() }
        other.end()
        #expect(await last.value == nil)
    }

    @Test func `no frame waits in a queue that was closed while another thread adds`() async {
        for _ in 0..<1_000 {
            let queue = FrameQueue(limit: 4)
            let adding = Task {
                let frame = VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .jpeg([]))
                // Bounded: on a busy machine nobody closes it for long, and others need the thread.
                var rest = 2_000
                while rest > 0, queue.add(frame) { rest -= 1 }
            }
            while queue.dropped == 0 { await Task.yield() }
            queue.close()
            await adding.value
            #expect(await queue.next() == nil)
        }
    }
}
