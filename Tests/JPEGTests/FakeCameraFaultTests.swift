import FakeCamera
import JPEG
import PeerKit
import Services
import Simulation
import Testing

/// A canary for each fault point of the drawn camera: what a consumer sees of it.
@Suite("Faults of the fake camera")
struct FakeCameraFaultTests {
    private static let size = PixelSize(width: 160, height: 96)

    /// Frames 0 to 19 as a stream has them, under a fault that begins with the fifth.
    private func frames(
        _ point: String?,
        values: [String: Double] = [:],
        atMost limit: Int = 1,
        _ change: (inout FakeCamera.Configuration) -> Void = { _ in },
        zoom: Double = 1,
        readers: Int = 1
    ) throws -> [[VideoFrame]] {
        var configuration = FakeCamera.Configuration(size: Self.size, framesPerSecond: 10)
        change(&configuration)
        let camera = FakeCamera(configuration)
        return try Simulation(seed: 1).run {
            if let point { try camera.faults.arm(point, values: values, skipping: 5, atMost: limit) }
            try await camera.connect()
            try await camera.apply(.zoom(zoom))
            let streams = (0..<readers).map { _ in camera.frames(limit: 30) }
            var frames = streams.map { _ in [VideoFrame]() }
            while frames[0].count < 20 {
                for (index, stream) in streams.enumerated() {
                    frames[index].append(try #require(await stream.next()))
                }
            }
            return frames
        }
    }

    private func pixels(_ frame: VideoFrame) throws -> PixelBuffer {
        guard case .pixels(let picture) = frame.content else { throw CancellationError() }
        return picture
    }

    /// The numbers of frames that differ from those without a fault.
    private func spoilt(_ frames: [VideoFrame], _ sound: [VideoFrame]) throws -> [Int] {
        try zip(frames, sound).filter { frame, other in
            let (left, right) = try (pixels(frame), pixels(other))
            return left.size != right.size || Pictures.bytes(of: left) != Pictures.bytes(of: right)
        }
        .map(\.0.sequence)
    }

    @Test func `every point has its canary`() {
        #expect(
            FakeCamera.points.map(\.name) == [
                "camera.frame.burst", "camera.frame.torn", "camera.frame.green", "camera.frame.wrongSize",
                "camera.frame.cut", "camera.clock.jump",
            ]
        )
    }

    @Test func `in a burst frames are held back, and come at once`() throws {
        let camera = FakeCamera(.init(size: Self.size, framesPerSecond: 10))
        try Simulation(seed: 1).run {
            try camera.faults.arm("camera.frame.burst", values: ["frames": 4], skipping: 5, atMost: 1)
            try await camera.connect()
            let beginning = ContinuousClock.now
            let stream = camera.frames(limit: 30)
            var arrivals: [Duration] = []
            for number in 0..<12 {
                let frame = try #require(await stream.next())
                #expect(frame.sequence == number && frame.timestamp == .milliseconds(100 * number))
                arrivals.append(ContinuousClock.now - beginning)
                let newest = await camera.latestFrame()?.sequence ?? 0
                #expect(newest == max(number, number < 5 || number > 9 ? number : 9))
            }
            let due = [0, 1, 2, 3, 4, 9, 9, 9, 9, 9, 10, 11].map { Duration.milliseconds(100 * $0) }
            #expect(arrivals == due)
        }
    }

    @Test(arguments: [PixelBuffer.Layout.i420, .rgb])
    func `a torn picture has the lower half of the frame before`(layout: PixelBuffer.Layout) throws {
        let sound = try frames(nil) { $0.layout = layout }[0]
        let torn = try frames("camera.frame.torn") { $0.layout = layout }[0]
        #expect(try spoilt(torn, sound) == [5])
        let (picture, own, before) = try (pixels(torn[5]), pixels(sound[5]), pixels(sound[4]))
        // All of RGB, or the luma of I420.
        let bytes = Self.size.area * (layout == .rgb ? 3 : 1)
        let (upper, lower) = (0..<bytes / 2, bytes / 2..<bytes)
        #expect(Pictures.bytes(of: picture)[upper] == Pictures.bytes(of: own)[upper])
        #expect(Pictures.bytes(of: picture)[lower] == Pictures.bytes(of: before)[lower])
        #expect(Pictures.bytes(of: own)[lower] != Pictures.bytes(of: before)[lower])
    }

    @Test(arguments: [PixelBuffer.Layout.i420, .rgb])
    func `a green picture is green, and the next one is not`(layout: PixelBuffer.Layout) throws {
        let sound = try frames(nil) { $0.layout = layout }[0]
        let green = try frames("camera.frame.green", atMost: 2) { $0.layout = layout }[0]
        #expect(try spoilt(green, sound) == [5, 6])
        // As a decoder shows it.
        let file = try JPEGEncoder().encode(pixels(green[5]), quality: 95)
        let shown = Pictures.bytes(of: try JPEGDecoder().decode(file, layout: .rgb))
        let isGreen = stride(from: 0, to: shown.count, by: 3).allSatisfy {
            shown[$0] < 10 && (120...150).contains(shown[$0 + 1]) && shown[$0 + 2] < 10
        }
        #expect(isGreen)
    }

    @Test(arguments: [PixelBuffer.Layout.i420, .rgb])
    func `a picture of a wrong size has half the width and height, and says so`(
        layout: PixelBuffer.Layout
    ) throws {
        let sound = try frames(nil) { $0.layout = layout }[0]
        let wrong = try frames("camera.frame.wrongSize") { $0.layout = layout }[0]
        #expect(try spoilt(wrong, sound) == [5])
        let (picture, own) = try (pixels(wrong[5]), pixels(sound[5]))
        #expect(picture.size == PixelSize(width: 80, height: 48) && wrong[5].size == picture.size)
        let (bytes, whole) = (Pictures.bytes(of: picture), Pictures.bytes(of: own))
        let pixel = layout == .rgb ? 3 : 1
        for (row, column) in [(0, 0), (10, 33), (47, 79)] {
            for part in 0..<pixel {
                let place = (2 * row * 160 + 2 * column) * pixel + part
                #expect(bytes[(row * 80 + column) * pixel + part] == whole[place])
            }
        }
    }

    @Test(arguments: [true, false])
    func `a file that is cut ends in its middle, and cannot be decoded`(isPrepared: Bool) throws {
        let file = try JPEGEncoder().encode(Pictures.gradient(160, 96), quality: 50)
        let all = try frames("camera.frame.cut") {
            if isPrepared { $0.scene = .prepared([file]) } else { $0.format = .jpeg(quality: 50) }
        }[0]
        let broken = try all.filter { frame in
            guard case .jpeg(let file) = frame.content else { throw CancellationError() }
            return (try? JPEGDecoder().decode(file)) == nil
        }
        #expect(broken.map(\.sequence) == [5])
    }

    @Test func `a clock that jumps goes on from there`() throws {
        for seconds in [60.0, -0.35] {
            let all = try frames("camera.clock.jump", values: ["seconds": seconds])[0]
            for frame in all {
                let error = frame.sequence < 5 ? Duration.zero : .milliseconds(Int(seconds * 1000))
                #expect(frame.timestamp == .milliseconds(100 * frame.sequence) + error)
            }
        }
    }

    @Test func `a frame has one flaw for all who read it`() throws {
        let both = try frames("camera.frame.green", readers: 2)
        #expect(try spoilt(both[0], both[1]) == [])
        #expect(try spoilt(both[0], frames(nil)[0]) == [5])
    }

    @Test func `a frame has one flaw for all its readers, also for those hundreds of frames late`()
        throws
    {
        let camera = FakeCamera(.init(size: Self.size, framesPerSecond: 10))
        try Simulation(seed: 1).run {
            try camera.faults.arm("camera.frame.wrongSize", skipping: 2, atMost: 3)
            try await camera.connect()
            let (late, quick) = (camera.frames(limit: 400), camera.frames(limit: 1))
            var spoilt: [[Int]] = []
            for stream in [quick, late] {
                var numbers: [Int] = []
                for _ in 0..<400 {
                    let frame = try #require(await stream.next())
                    if frame.size != Self.size { numbers.append(frame.sequence) }
                }
                spoilt.append(numbers)
            }
            #expect(spoilt == [[2, 3, 4], [2, 3, 4]] && late.dropped == 0)
        }
    }

    @Test("what is remembered of frames is bounded, whichever are asked for", arguments: [1, 7, 100_000])
    func memory(step: Int) {
        var memory = FlawMemory()
        memory.makeRoom(for: 300)
        var most = 0
        for number in 0..<5_000 {
            memory.note(FrameFlaws(), of: number * step)
            most = max(most, memory.count)
        }
        #expect(most <= 800)
        // A reader may come back for those that have room.
        let newest = 4_999 * step
        let known = ((newest - 299)...newest).filter { memory[$0] != nil }
        #expect(known == ((newest - 299)...newest).filter { $0.isMultiple(of: step) })
        memory.makeRoom(for: .max)
        for number in 1...50_000 { memory.note(FrameFlaws(), of: newest + number) }
        #expect(memory.count <= 2 * FlawMemory.mostRoom + 200)
    }

    @Test func `frames are JPEG files of the quality that was asked for`() throws {
        let small = try frames(nil) { $0.format = .jpeg(quality: 20) }[0]
        let large = try frames(nil) { $0.format = .jpeg(quality: 95) }[0]
        for (left, right) in zip(small, large) {
            guard case .jpeg(let left) = left.content, case .jpeg(let right) = right.content else {
                throw CancellationError()
            }
            #expect(left.count < right.count)
            #expect(try JPEGDecoder().decode(left).size == Self.size)
        }
    }
}
