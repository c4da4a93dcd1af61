import AppKernel
import Files
import Foundation
import GeminiServer
import HTTPTypes
import Lens
import LensPage
import LensScenarios
import PageKit
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("The live preview", .simulated(seeds: 1...3))
struct PreviewTests {
    /// Searches the bytes: as text a picture is thousands of errors, and Swift Testing keeps a backtrace of each.
    private func frames(_ chunk: [UInt8]) -> Int {
        let (data, head) = (Data(chunk), Data("Content-Type: image/jpeg".utf8))
        var (count, rest) = (0, 0..<chunk.count)
        while let found = data.range(of: head, in: rest) {
            count += 1
            rest = found.upperBound..<chunk.count
        }
        return count
    }

    @Test
    func `two pages and the stream share one encoding of each picture, at 25 pictures a second at most`()
        async throws
    {
        var options = LensOptions()
        options.streamRate = 5
        let world = try await PageWorld.start(options)
        try await world.world.onPhone { try await $0.startStreaming() }
        func watch(for time: Duration) async throws -> Int {
            let answer = try await world.pages.send(
                world.request("/frames"),
                body: .empty,
                timeout: .seconds(30)
            )
            #expect(answer.head.status.code == 200)
            let end = ContinuousClock.now + time
            var count = 0
            for try await chunk in try await answer.body.chunks() {
                count += frames(chunk)
                if ContinuousClock.now >= end { break }
            }
            return count
        }
        async let one = watch(for: .seconds(4))
        async let two = watch(for: .seconds(4))
        let counts = try await [one, two]
        for count in counts { #expect((60...104).contains(count), "\(count) pictures in four seconds") }
        let (encodings, requests) = await (world.encoder.encodings, world.encoder.requests)
        // The camera has made 30 pictures a second at most, whoever has asked for them.
        #expect(encodings <= 4 * 30 + 30)
        #expect(requests > encodings)
    }

    @Test(
        "LENS-082 the pictures of a Wi-Fi camera that the page's preview shows are those that the assistant gets, byte for byte, and each is made once"
    )
    func sameBytes() async throws {
        var options = LensOptions()
        options.networkCamera = .simulated(isSetUp: true)
        options.scene = .prepared(try PreparedFrames.make(size: options.size))
        let world = try await PageWorld.start(options)
        try await world.world.onPhone { try await $0.camera.switchTo(.veepaWiFi) }
        let answer = try await world.pages.send(
            world.request("/frames"),
            body: .empty,
            timeout: .seconds(30)
        )
        let preview = Task {
            let end = ContinuousClock.now + .seconds(8)
            var bytes: [UInt8] = []
            for try await chunk in try await answer.body.chunks() {
                bytes += chunk
                if ContinuousClock.now >= end { break }
            }
            return files(bytes)
        }
        try await world.world.onPhone { app in
            try await app.startStreaming()
            try await Task.sleep(for: .seconds(5))
            await app.stopStreaming()
        }
        let shown = try await preview.value
        let streamed = world.world.gemini.record.sessions.flatMap(\.frames).compactMap(\.bytes)
        #expect(streamed.count > 3 && Set(streamed).count > 3)
        let isSame = Set(streamed).isSubset(of: shown)
        #expect(isSame)
        // The stream asked for pictures that the preview had asked for before.
        let (encodings, requests) = await (world.encoder.encodings, world.encoder.requests)
        #expect(encodings > 0 && requests > encodings)
        try await world.world.shutdown()
    }

    /// The files in an answer of parts, each behind a head that says its length.
    private func files(_ answer: [UInt8]) -> Set<[UInt8]> {
        var files: Set<[UInt8]> = []
        var rest = Data(answer)
        let (name, end) = (Data("Content-Length: ".utf8), Data("\r\n\r\n".utf8))
        while let begin = rest.range(of: name),
            let head = rest.range(of: end, in: begin.upperBound..<rest.endIndex),
            let count = Int(String(decoding: rest[begin.upperBound..<head.lowerBound], as: UTF8.self)),
            rest.endIndex - head.upperBound >= count
        {
            files.insert(Array(rest[head.upperBound..<head.upperBound + count]))
            rest = rest[(head.upperBound + count)...]
        }
        return files
    }

    @Test func `pages that have gone leave room for others`() async throws {
        let world = try await PageWorld.start()
        try await world.world.onPhone { try await $0.camera.connect() }
        for _ in 0..<20 {
            let answer = try await world.pages.send(
                world.request("/frames"),
                body: .empty,
                timeout: .seconds(30)
            )
            #expect(answer.head.status.code == 200)
            for try await _ in try await answer.body.chunks() { break }
            try await Task.sleep(for: .seconds(1))
        }
    }
}

@Suite("Pictures of the gallery", .simulated(seeds: 1...3))
struct PageThumbnailTests {
    @Test func `a small picture is small, and what never changes is asked for once`() async throws {
        let world = try await PageWorld.start()
        try await world.world.onPhone { try await $0.camera.connect() }
        let page = try await world.open()
        _ = try await page.act("camera", #"{"start":{}}"#)
        try await Task.sleep(for: .milliseconds(500))
        _ = try await page.act("camera", #"{"capturePhoto":{}}"#)
        let photo = try #require(page.state("camera")["lastPhoto"] as? String)
        func file(_ path: String) async throws -> (bytes: [UInt8], caching: String?) {
            let answer = try await world.pages.send(world.request(path), body: .empty, timeout: .seconds(30))
            #expect(answer.head.status.code == 200)
            return (
                try await answer.body.collect(upTo: 10_000_000), answer.head.headerFields[.cacheControl]
            )
        }
        let (large, small) = (try await file("/media/\(photo)"), try await file("/thumbnails/\(photo)"))
        #expect(small.bytes.count < large.bytes.count)
        let id = try #require(UUID(uuidString: photo))
        let names = (MediaLibrary.fileName(of: id, kind: .photo), MediaLibrary.thumbnailName(of: id))
        #expect(try world.documents.read(names.0, upTo: 10_000_000) == large.bytes)
        #expect(try world.documents.read(names.1, upTo: 10_000_000) == small.bytes)
        for caching in [large.caching, small.caching] {
            #expect(
                caching?.hasPrefix("private, max-age=") == true && caching?.hasSuffix("immutable") == true
            )
        }
    }
}
