import Foundation
import JPEG
import QuickTime
import Services
import TestSupport
import Testing

@testable import ImageFolderCamera

@Suite("Image folder camera")
struct ImageFolderCameraTests {
    /// Every call to `latestFrame` sees a new frame, so that a loop over them needs no waiting.
    private let fast = 1_000_000_000.0

    @Test(
        "a folder's good pictures are listed in natural order, and each broken one is reported with its reason"
    )
    func folder() throws {
        let input = try ImageInput(path: Fixtures.path("folder"))
        // Damage inside is found only by decoding.
        #expect(input.count == 6)
        let reasons = Dictionary(uniqueKeysWithValues: input.rejected.map { ($0.name, $0.reason) })
        #expect(reasons.count == 6)
        #expect(reasons["notes.txt"] == .notAPicture)
        #expect(reasons["broken-empty.jpg"] == .empty)
        #expect(reasons["broken-cmyk.jpg"] == .jpeg(.unsupportedColorspace(.cmyk)))
        let wide = PixelSize(width: 12_000, height: 8)
        #expect(reasons["broken-wide.jpg"] == .jpeg(.tooLarge(wide, limits: ImageInput.Limits().picture)))
        let length = try Fixtures.bytes("folder/broken-truncated.jpg").count
        #expect(reasons["broken-truncated.jpg"] == .jpeg(.truncated(byteCount: length)))
        guard case .jpeg(.undecodable(let message, _)) = reasons["broken-text.jpg"] else {
            Issue.record("a text file passed for a picture")
            return
        }
        #expect(message.contains("Not a JPEG file"))
        for rejected in input.rejected { #expect(rejected.description.hasPrefix(rejected.name + ": ")) }
    }

    @Test("the camera plays the good pictures in a loop and skips what turns out damaged")
    func playing() async throws {
        let camera = ImageFolderCamera(path: Fixtures.path("folder"), framesPerSecond: fast)
        #expect(await camera.latestFrame() == nil)
        try await camera.connect()
        var sizes: Set<PixelSize> = []
        var last = -1
        for _ in 0..<200 {
            let frame = try #require(await camera.latestFrame())
            #expect(frame.sequence > last)
            last = frame.sequence
            guard case .jpeg(let file) = frame.content else {
                Issue.record("not a JPEG")
                return
            }
            #expect(try JPEGDecoder().header(of: file).size == frame.size)
            sizes.insert(try #require(frame.size))
        }
        #expect(sizes.count == 5)
        guard case .jpeg(.damaged) = camera.rejected.first(where: { $0.name == "broken-inside.jpg" })?.reason
        else {
            Issue.record("the damaged file was not reported")
            return
        }
        #expect(camera.rejected.count == 7)
        await camera.disconnect()
        #expect(await camera.latestFrame() == nil)
        #expect(camera.rejected.count == 7)
    }

    @Test("the same frame is delivered until the next one is due")
    func rate() async throws {
        let camera = ImageFolderCamera(path: Fixtures.path("clip.mjpg"), framesPerSecond: 0.000_001)
        try await camera.connect()
        let first = try #require(await camera.latestFrame())
        let second = try #require(await camera.latestFrame())
        #expect(first.sequence == 0 && second.sequence == 0 && first.timestamp == .zero)
        let size = PixelSize(width: 160, height: 120)
        #expect(first.size == size)
    }

    @Test("names are in the order that people expect")
    func naturalOrder() async throws {
        let folder = try TemporaryFolder()
        let names = ["1.jpg", "2.jpg", "02b.jpg", "10.jpg", "a1.jpg", "A2.jpg", "a10.jpg", "b.jpg"]
        for (index, name) in names.enumerated() {
            // The width tells which file it was.
            try folder.write(JPEGEncoder().encode(Pictures.gradient(16 + index, 16), quality: 50), to: name)
        }
        let camera = ImageFolderCamera(path: folder.url.path, framesPerSecond: fast)
        try await camera.connect()
        for _ in 0..<50 {
            let frame = try #require(await camera.latestFrame())
            #expect(frame.size?.width == 16 + frame.sequence % names.count)
        }
    }

    @Test(
        "a Motion-JPEG movie gives its pictures byte for byte, also one whose recorder never filled in the sizes",
        arguments: ["clip.mjpg", "clip.avi", "clip-unfinished.avi"]
    )
    func movie(name: String) async throws {
        let whole = try Fixtures.bytes("clip.mjpg")
        var pictures: [[UInt8]] = []
        var start = 0
        while start < whole.count {
            let count = try JPEGMarkers(in: whole, from: start).byteCount
            pictures.append(Array(whole[start..<start + count]))
            start += count
        }
        #expect(pictures.count == 4)
        let camera = ImageFolderCamera(path: Fixtures.path(name), framesPerSecond: fast)
        try await camera.connect()
        for _ in 0..<20 {
            let frame = try #require(await camera.latestFrame())
            guard case .jpeg(let file) = frame.content else {
                Issue.record("not a JPEG")
                return
            }
            #expect(file == pictures[frame.sequence % 4])
        }
        #expect(camera.rejected.isEmpty)
    }

    @Test(
        "a QuickTime movie gives its pictures byte for byte, also one that was cut off",
        arguments: [false, true]
    )
    func quickTime(isCut: Bool) async throws {
        let pictures = try (0..<6).map {
            try JPEGEncoder().encode(Pictures.gradient(64, 32, grain: $0), quality: 50)
        }
        var writer = MovieWriter(size: PixelSize(width: 64, height: 32))
        var movie = writer.begin()
        for (number, picture) in pictures.enumerated() {
            movie += try writer.add(picture, at: .milliseconds(500 * number))
        }
        let rest = writer.finish(at: .seconds(3))
        if !isCut { movie += rest }
        let folder = try TemporaryFolder()
        try folder.write(movie, to: "film.MOV")
        let count = try ImageInput(path: folder.file("film.MOV")).count
        #expect(isCut ? (1..<6).contains(count) : count == 6, "\(count)")
        let camera = ImageFolderCamera(path: folder.file("film.MOV"), framesPerSecond: fast)
        try await camera.connect()
        for _ in 0..<20 {
            let frame = try #require(await camera.latestFrame())
            guard case .jpeg(let file) = frame.content else {
                Issue.record("not a JPEG")
                return
            }
            #expect(file == pictures[frame.sequence % count])
        }
        #expect(camera.rejected.isEmpty)
    }

    @Test("of a movie with too many pictures the first are listed, as of the other kinds")
    func longQuickTime() throws {
        let picture = try JPEGEncoder().encode(Pictures.gradient(64, 32), quality: 50)
        var writer = MovieWriter(size: PixelSize(width: 64, height: 32))
        var movie = writer.begin()
        for number in 0..<6 { movie += try writer.add(picture, at: .milliseconds(500 * number)) }
        movie += writer.finish(at: .seconds(3))
        let folder = try TemporaryFolder()
        try folder.write(movie, to: "film.mov")
        try folder.write(Array(repeatElement(picture, count: 6).joined()), to: "film.mjpeg")
        var limits = ImageInput.Limits()
        limits.entryCount = 4
        for name in ["film.mov", "film.mjpeg"] {
            #expect(try ImageInput(path: folder.file(name), limits: limits).count == 4, "\(name)")
        }
    }

    @Test("a file that cannot be read is no malformed one", arguments: ["mov", "avi", "mjpeg"])
    func unreadable(kind: String) throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "film.\(kind)")
        let path = folder.file("film.\(kind)")
        // A handle that only writes: each read fails, as those of a broken disk do.
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        let file = ByteFile(path: path, count: 1_000, handle: handle)
        let error = #expect(throws: ImageInputError.self) {
            switch kind {
            case "mov": try QuickTimeFile.entries(of: file, .init())
            case "avi": try AVIFile.entries(of: file, .init())
            default: try MotionJPEGFile.entries(of: file, .init())
            }
        }
        guard case .unreadable(path, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.contains(path), "once is enough")
    }

    @Test("1,000 mutated QuickTime movies are listed or refused, never otherwise")
    func mutatedQuickTime() throws {
        var numbers = TestNumbers(seed: 57)
        var writer = MovieWriter(size: PixelSize(width: 64, height: 32))
        var source = writer.begin()
        for number in 0..<4 {
            let picture = try JPEGEncoder().encode(Pictures.gradient(64, 32, grain: number), quality: 50)
            source += try writer.add(picture, at: .milliseconds(400 * number))
        }
        source += writer.finish(at: .seconds(2))
        let folder = try TemporaryFolder()
        var (listed, refused) = (0, 0)
        for _ in 0..<1_000 {
            try folder.write(HostileJPEGTests.mutated(source, &numbers), to: "film.mov")
            do throws(ImageInputError) {
                #expect(try ImageInput(path: folder.file("film.mov")).count > 0)
                listed += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(listed > 50 && refused > 50, "\(listed) and \(refused)")
    }

    @Test("AVI chunks are found in later RIFF parts and record lists, and other streams' are left out")
    func nestedLists() throws {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            let count = UInt32(body.count)
            let size = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            return Array(name.utf8) + size + body + (body.count.isMultiple(of: 2) ? [] : [0])
        }
        func list(_ kind: String, _ name: String, _ chunks: [[UInt8]]) -> [UInt8] {
            chunk(kind, Array(name.utf8) + chunks.flatMap(\.self))
        }
        func stream(_ type: String, _ codec: String) -> [UInt8] {
            let format =
                [UInt8](repeating: 0, count: 16) + Array(codec.utf8) + [UInt8](repeating: 0, count: 20)
            let header = Array(type.utf8) + [UInt8](repeating: 0, count: 52)
            return list("LIST", "strl", [chunk("strh", header), chunk("strf", format)])
        }
        let picture = try Fixtures.bytes("folder/photo-9.jpeg")
        let other = try Fixtures.bytes("folder/photo-10.jpg")
        let movie =
            list(
                "RIFF",
                "AVI ",
                [
                    list(
                        "LIST",
                        "hdrl",
                        [stream("auds", "MJPG"), stream("vids", "MJPG"), stream("vids", "MJPG")]
                    ),
                    list(
                        "LIST",
                        "movi",
                        [
                            chunk("00dc", other), chunk("01dc", picture), chunk("01dc", []),
                            chunk("02dc", other),
                            list("LIST", "rec ", [chunk("01db", picture), chunk("00wb", [1, 2, 3])]),
                        ]
                    ),
                ]
            ) + list("RIFF", "AVIX", [list("LIST", "movi", [chunk("01dc", picture)])])
        let folder = try TemporaryFolder()
        try folder.write(movie, to: "a.avi")
        let input = try ImageInput(path: folder.url.appending(path: "a.avi").path)
        #expect(input.count == 3)
        #expect(input.rejected.isEmpty)
    }

    @Test("broken pictures inside a movie are reported by number, and the rest is played")
    func brokenMovie() throws {
        let folder = try TemporaryFolder()
        let good = try Fixtures.bytes("folder/photo-9.jpeg")
        let cut = Array(good.prefix(good.count / 2))
        try folder.write([0, 1, 0xFF] + good + [0xFF, 0] + cut + good + cut, to: "a.mjpeg")
        let input = try ImageInput(path: folder.url.appending(path: "a.mjpeg").path)
        #expect(input.count == 2)
        #expect(input.rejected.map(\.name) == ["a.mjpeg#1", "a.mjpeg#3"])
    }

    @Test("a movie of pictures larger than the reading window is delimited whole")
    func largePictures() throws {
        let folder = try TemporaryFolder()
        let large = try JPEGEncoder().encode(Pictures.gradient(1_000, 600, .i420, grain: 120), quality: 95)
        #expect(large.count > 256 << 10)
        let small = try Fixtures.bytes("folder/photo-9.jpeg")
        try folder.write(small + large + large + small, to: "a.mjpg")
        let input = try ImageInput(path: folder.url.appending(path: "a.mjpg").path)
        #expect(input.count == 4)
        #expect(input.rejected.isEmpty)
    }

    @Test("a path without anything, of an unknown kind, or without pictures is a typed error")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "nothing").path
        #expect(throws: ImageInputError.missing(path: missing)) { try ImageInput(path: missing) }
        await #expect(throws: CameraError.deviceNotFound) {
            try await ImageFolderCamera(path: missing).connect()
        }

        let empty = folder.url.path
        let none = ImageInputError.noPictures(path: empty, rejected: [])
        #expect(throws: none) { try ImageInput(path: empty) }
        await #expect(throws: CameraError.unknown(none)) {
            try await ImageFolderCamera(path: empty).connect()
        }

        try folder.write([1, 2, 3], to: "a.png")
        let png = folder.url.appending(path: "a.png").path
        #expect(throws: ImageInputError.unknownKind(path: png)) { try ImageInput(path: png) }
        try folder.write([1, 2, 3], to: "a.mov")
        #expect(throws: ImageInputError.self) { try ImageInput(path: folder.file("a.mov")) }
        try folder.write([], to: "a.mjpg")
        #expect(throws: ImageInputError.self) {
            try ImageInput(path: folder.url.appending(path: "a.mjpg").path)
        }
        try folder.write(Array("RIFF....AVI ".utf8), to: "a.avi")
        let avi = folder.url.appending(path: "a.avi").path
        #expect(throws: ImageInputError.malformed(path: avi, reason: "no video stream is in Motion-JPEG")) {
            try ImageInput(path: avi)
        }
    }

    @Test(
        "a folder that may not be read is a denied camera",
        .enabled(if: geteuid() != 0, "root may read everything")
    )
    func denied() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.url.path)
        #expect(throws: ImageInputError.permissionDenied(path: folder.url.path)) {
            try ImageInput(path: folder.url.path)
        }
        await #expect(throws: CameraError.permissionDenied) {
            try await ImageFolderCamera(path: folder.url.path).connect()
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }

    @Test("a file that changes after it was listed is skipped and reported")
    func changed() async throws {
        let folder = try TemporaryFolder()
        let good = try Fixtures.bytes("folder/photo-9.jpeg")
        try folder.write(good, to: "1.jpg")
        try folder.write(good, to: "2.jpg")
        let camera = ImageFolderCamera(path: folder.url.path, framesPerSecond: fast)
        try await camera.connect()
        try folder.write([9], to: "1.jpg")
        // Which picture is due is up to the clock, and never to be relied on.
        var reads = 0
        while camera.rejected.isEmpty, reads < 100_000 {
            #expect(await camera.latestFrame() != nil)
            reads += 1
        }
        #expect(camera.rejected == [RejectedFile(name: "1.jpg", reason: .jpeg(.truncated(byteCount: 1)))])
        try FileManager.default.removeItem(at: folder.url.appending(path: "2.jpg"))
        _ = await camera.latestFrame()
    }

    @Test("every error says what happened to what")
    func descriptions() {
        let rejected = RejectedFile(name: "x.jpg", reason: .tooManyBytes(9, limit: 8))
        let errors: [ImageInputError] = [
            .missing(path: "/p"), .permissionDenied(path: "/p"),
            .noPictures(path: "/p", rejected: [rejected]),
            .unknownKind(path: "/p"), .malformed(path: "/p", reason: "r"),
            .unreadable(path: "/p", reason: "r"),
        ]
        for error in errors { #expect(error.description.contains("/p")) }
        #expect(errors[2].description.contains("x.jpg: 9 bytes, more than 8"))
    }

    @Test(
        "1,000 mutated movies of each kind are listed or refused, never otherwise",
        arguments: ["clip.avi", "clip.mjpg"]
    )
    func mutations(name: String) throws {
        var numbers = TestNumbers(seed: 250)
        let folder = try TemporaryFolder()
        let source = try Fixtures.bytes(name)
        let path = folder.url.appending(path: name).path
        var listed = 0
        for _ in 0..<1_000 {
            var bytes = HostileJPEGTests.mutated(source, &numbers)
            // Headers and the first chunks are in the first 300 bytes; hit them often.
            if !bytes.isEmpty, Bool.random(using: &numbers) {
                bytes[Int.random(in: 0..<min(300, bytes.count), using: &numbers)] = .random(
                    in: 0...255,
                    using: &numbers
                )
            }
            try folder.write(bytes, to: name)
            do throws(ImageInputError) {
                let input = try ImageInput(path: path)
                #expect(input.count > 0)
                listed += 1
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(listed > 100)
    }
}
