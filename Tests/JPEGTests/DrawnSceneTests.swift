import JPEG
import Services
import Testing

@testable import FakeCamera

@Suite("Drawn scenes")
struct DrawnSceneTests {
    private static let scenes: [FakeCamera.Scene] = [.room, .frontDoor]
    private static let small = PixelSize(width: 640, height: 360)

    private func camera(
        _ scene: FakeCamera.Scene,
        _ size: PixelSize = small,
        seed: UInt64 = 1
    ) -> FakeCamera {
        FakeCamera(.init(size: size, framesPerSecond: 30, scene: scene, seed: seed))
    }

    @Test(
        "the code of a drawn scene is read at every size and quality, with what it shows",
        arguments: [
            PixelSize(width: 160, height: 90), PixelSize(width: 320, height: 180),
            PixelSize(width: 333, height: 251), PixelSize(width: 180, height: 320),
            PixelSize(width: 640, height: 480), PixelSize(width: 1_280, height: 720),
            PixelSize(width: 1_920, height: 1_080), PixelSize(width: 3_840, height: 2_160),
        ],
        [10, 30, 75]
    )
    func read(size: PixelSize, quality: Int) throws {
        let encoder = try JPEGEncoder()
        let decoder = try JPEGDecoder()
        for (place, scene) in zip(DrawnScene.Place.allCases, Self.scenes) {
            let camera = camera(scene, size, seed: 4_097 + 77)
            for number in [0, 1, 77, 1_500, 20_011, 0x3FF_FFFF] {
                let frame = camera.frame(number)
                let sight = Sight(scene: DrawnScene(place, seed: 78))
                let expected = FrameCode(sequence: number, captureTime: frame.timestamp, sight: sight)
                let file = try encoder.encode(frame.pixels, quality: quality)
                for layout in [PixelBuffer.Layout.i420, .rgb] {
                    #expect(FrameCode.read(from: try decoder.decode(file, layout: layout)) == expected)
                }
                #expect(expected.sequence == number)
                #expect(expected.captureTime <= frame.timestamp)
                #expect(expected.captureTime > frame.timestamp - .milliseconds(1))
            }
        }
    }

    @Test("a drawn scene's code survives the ladder's downscaling to a quarter", arguments: scenes)
    func downscaled(scene: FakeCamera.Scene) throws {
        let camera = camera(scene, PixelSize(width: 1_280, height: 720))
        let ladder = try JPEGLadder(limit: 6_000)
        for number in stride(from: 0, to: 600, by: 30) {
            let result = try ladder.compress(camera.frame(number))
            #expect(result.size.width <= 640)
            #expect(FrameCode.read(from: try JPEGDecoder().decode(result.jpeg))?.sequence == number)
        }
    }

    @Test(
        "a drawn picture takes less than half of the bytes of moving shapes at quality 75",
        arguments: scenes
    )
    func bytes(scene: FakeCamera.Scene) throws {
        let encoder = try JPEGEncoder()
        let size = PixelSize(width: 1_280, height: 720)
        let shapes = camera(.shapes(detail: 0.4), size)
        let limit = try encoder.encode(shapes.frame(100).pixels, quality: 75).count / 2
        for seed in UInt64(1)...6 {
            let camera = camera(scene, size, seed: seed)
            for number in [0, 100, 290] {
                let count = try encoder.encode(camera.frame(number).pixels, quality: 75).count
                #expect(count < min(limit, 75_000), "\(count) bytes, seed \(seed), frame \(number)")
            }
        }
    }

    @Test("pictures depend on seed and number only, whatever was drawn before", arguments: scenes)
    func determinism(scene: FakeCamera.Scene) {
        func picture(_ seed: UInt64, _ number: Int, after others: [Int] = []) -> [UInt8] {
            let camera = camera(scene, seed: seed)
            for other in others { _ = camera.frame(other) }
            return Pictures.bytes(of: camera.frame(number).pixels)
        }
        #expect(picture(4, 100) == picture(4, 100, after: Array(stride(from: 0, to: 3_000, by: 37))))
        #expect(picture(4, 100) != picture(5, 100))
        #expect(picture(4, 100) != picture(4, 101))
    }

    @Test("what happens is a function of seed and number, and differs between seeds", arguments: scenes)
    func script(scene: FakeCamera.Scene) throws {
        var scripts: Set<[[Happening]]> = []
        var begun: Set<Happening> = []
        for seed in UInt64(1)...30 {
            let script = stride(from: 0, to: 1_800, by: 15).map {
                camera(scene, seed: seed).happenings(at: $0)
            }
            #expect(
                script
                    == stride(from: 0, to: 1_800, by: 15).map { camera(scene, seed: seed).happenings(at: $0) }
            )
            scripts.insert(script)
            for (before, after) in zip(script, script.dropFirst()) {
                begun.formUnion(Set(after).subtracting(before))
            }
            // Somebody comes within the first seconds.
            #expect(script.prefix(10).contains { $0.contains(.petWalks) || $0.contains(.visitorWaits) })
        }
        #expect(scripts.count == 30)
        let place = try #require(camera(scene).configuration.drawnScene)
        #expect(begun == Set(place.possible), "everything that is possible happens")
        #expect(camera(.noise).happenings(at: 3) == [])
    }

    /// How many pixels differ that belong neither to the code, nor to clock, number and cloud.
    private func differences(_ left: PixelBuffer, _ right: PixelBuffer, in place: DrawnScene.Place) -> Int {
        let view = View(size: left.size, zoom: 1)
        let busy: [Box] =
            place == .room
            ? [Box(800, 80, 136, 140), Box(1_044, 414, 176, 60), Box(112, 92, 148, 80)]
            : [Box(1_052, 96, 172, 58)]
        let (left, right) = (Pictures.bytes(of: left), Pictures.bytes(of: right))
        var count = 0
        for row in 26..<Self.small.height {
            let y = view.top + Double(row) / view.scale
            let line = row * Self.small.width
            if left[line..<(line + Self.small.width)] == right[line..<(line + Self.small.width)] { continue }
            for column in 0..<Self.small.width where left[line + column] != right[line + column] {
                let x = view.left + Double(column) / view.scale
                let isBusy = busy.contains {
                    x >= $0.x - 4 && x <= $0.x + $0.width + 4 && y >= $0.y - 4 && y <= $0.y + $0.height + 4
                }
                if !isBusy { count += 1 }
            }
        }
        return count
    }

    @Test("what the script says is drawn, and nothing else changes", arguments: scenes)
    func drawn(scene: FakeCamera.Scene) throws {
        // A visitor waits without a movement for a while.
        let moving: Set<Happening> = [.petWalks, .ballBounces, .carPasses, .rainFalls]
        var (quiet, changed) = (0, Set<Happening>())
        for seed in UInt64(1)...8 {
            let camera = camera(scene, seed: seed)
            let place = try #require(camera.configuration.drawnScene).place
            // Frames around which nothing comes or goes: what is half in the picture counts for nothing.
            let numbers = stride(from: 45, to: 1_800, by: 67).filter { number in
                let now = camera.happenings(at: number)
                return stride(from: -45, through: 45, by: 5).allSatisfy {
                    camera.happenings(at: number + $0) == now
                }
            }
            for (first, second) in zip(numbers, numbers.dropFirst()) {
                let before = Set(camera.happenings(at: first))
                let after = Set(camera.happenings(at: second))
                let count = differences(camera.frame(first).pixels, camera.frame(second).pixels, in: place)
                if before == after, before.contains(.visitorWaits) { continue }
                if before == after, before.isDisjoint(with: moving) {
                    #expect(count == 0, "seed \(seed), frames \(first) and \(second), \(before)")
                    quiet += 1
                } else {
                    #expect(count > 40, "seed \(seed), frames \(first) and \(second), \(before) and \(after)")
                    let difference = before.symmetricDifference(after)
                    if difference.count == 1 { changed.formUnion(difference) }
                }
            }
        }
        #expect(quiet > 5 && changed.count >= 3, "\(quiet), \(changed)")
    }

    /// Reads the note of a picture, dot by dot, as letters of the alphabet; `?` for what is no letter.
    private func note(in picture: PixelBuffer, zoom: Double, _ place: DrawnScene.Place) -> [String] {
        let view = View(size: picture.size, zoom: zoom)
        let bytes = Pictures.bytes(of: picture)
        let corner = SceneNote.corner(in: place)
        func isDark(_ x: Double, _ y: Double) -> Bool {
            let column = Int((x - view.left) * view.scale)
            let row = Int((y - view.top) * view.scale)
            return bytes[row * picture.size.width + column] < 140
        }
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { Character(UnicodeScalar($0)) }
        return (0..<2).map { line in
            let text = (0..<10).map { place -> Character in
                let columns = (0..<5).map { column -> UInt8 in
                    (0..<Lettering.height).reduce(UInt8(0)) { bits, row in
                        let left = corner.x + SceneNote.inset.x
                        let top = corner.y + SceneNote.inset.y + Double(line) * SceneNote.lineHeight
                        let x = left + (Double(place * Lettering.advance + column) + 0.5) * SceneNote.dot
                        let y = top + (Double(row) + 0.5) * SceneNote.dot
                        guard x < corner.x + SceneNote.width, isDark(x, y) else { return bits }
                        return bits | 1 << UInt8(row)
                    }
                }
                if columns.allSatisfy({ $0 == 0 }) { return " " }
                return letters.first { Lettering.columns(of: $0) == columns } ?? "?"
            }
            return String(String(text).reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test("a note is read at threefold zoom, and neither from afar nor when something near is in focus")
    func note() async throws {
        let size = PixelSize(width: 1_280, height: 720)
        for (place, scene) in zip(DrawnScene.Place.allCases, Self.scenes) {
            for seed in UInt64(1)...4 {
                let camera = FakeCamera(.init(size: size, framesPerSecond: 0.001, scene: scene, seed: seed))
                try await camera.connect()
                func read() async throws -> (text: [String], code: FrameCode) {
                    let frame = try #require(await camera.latestFrame())
                    let file = try JPEGEncoder().encode(frame.pixels, quality: 75)
                    let picture = try JPEGDecoder().decode(file, layout: .i420)
                    let code = try #require(FrameCode.read(from: picture))
                    return (note(in: picture, zoom: code.sight?.zoom ?? 1, place), code)
                }
                let words = SceneLook(DrawnScene(place, seed: seed)).note
                let far = try await read()
                #expect(far.text != words && far.code.sight?.note == nil)
                try await camera.apply(.zoom(3))
                let near = try await read()
                #expect(near.text == words && near.code.sight?.note == words.joined(separator: " "))
                try await camera.apply(.focus(FocusPoint(x: 0.5, y: 0.9)))
                let blurred = try await read()
                #expect(blurred.text != words && blurred.code.sight?.note == nil)
                try await camera.apply(.focus(FocusPoint(x: 0.5, y: 0.2)))
                #expect(try await read().text == words)
            }
        }
    }

    @Test("of an enlarged scene only what is in the picture is reported")
    func zoomed() throws {
        let size = PixelSize(width: 1_280, height: 720)
        var (seen, hidden) = (0, 0)
        // At 1.5 the picture shows 853 of 1280 units, and 480 of 720.
        let shown = (x: 213.34..<1_066.66, y: 120.0..<600)
        for seed in UInt64(1)...20 {
            let scene = DrawnScene(.room, seed: seed)
            for second in 0..<60 {
                let time = Duration.seconds(second)
                let all = scene.happenings(at: time)
                let near = Sight(scene: scene, zoom: 1.5).happenings(at: time, in: size)
                #expect(Set(near).isSubset(of: all))
                for happening in all {
                    let middle = try #require(SceneMoment(scene, time).middle(of: happening))
                    let isInside = shown.x.contains(middle.x) && shown.y.contains(middle.y)
                    #expect(near.contains(happening) == isInside)
                }
                seen += near.count
                hidden += all.count - near.count
            }
        }
        #expect(hidden > 50 && seen > 50)
    }

    @Test("a torn picture of a drawn scene keeps its own code over the lower half of the frame before")
    func torn() throws {
        let camera = camera(.room)
        let (own, before) = (camera.frame(90).pixels, camera.frame(89).pixels)
        let torn = FlawedPicture.torn(own, before)
        #expect(FrameCode.read(from: torn)?.sequence == 90)
        let half = Self.small.area / 2..<Self.small.area
        #expect(Pictures.bytes(of: torn)[half] == Pictures.bytes(of: before)[half])
        #expect(Pictures.bytes(of: own)[half] != Pictures.bytes(of: before)[half])
    }
}
