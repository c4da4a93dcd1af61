import AppKernel
import Foundation
import HTTPTypes
import JPEG
import Lens
import LensScenarios
import PageKit
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Videos on the page", .simulated(seeds: 1...3))
struct VideoPageTests {
    @Test
    func `a page records, sees that it is recording, and gets the pictures of the video by their times`()
        async throws
    {
        let world = try await PageWorld.start()
        try await world.world.onPhone { try await $0.camera.connect() }
        let page = try await world.open()
        try await page.until("camera") { $0["isRecording"] as? Bool == false }
        _ = try await page.act("camera", #"{"startRecording":{}}"#)
        #expect(page.state("camera")["isRecording"] as? Bool == true)
        try await page.until("camera") { $0["recordingSeconds"] as? Int == 2 }
        _ = try await page.act("camera", #"{"stopRecording":{}}"#)
        let state = page.state("camera")
        #expect(state["isRecording"] as? Bool == false && state["toast"] as? String == "Recording complete")
        let video = try #require(state["lastVideo"] as? String)
        func file(_ path: String) async throws -> (status: Int, bytes: [UInt8]) {
            let answer = try await world.pages.send(world.request(path), body: .empty, timeout: .seconds(30))
            return (answer.head.status.code, try await answer.body.collect(upTo: 10_000_000))
        }
        let id = try #require(UUID(uuidString: video))
        let length = try #require(await world.world.lens.videos.description(of: id)).duration
        #expect(length > 2 && length < 4)
        var pictures: Set<[UInt8]> = []
        for time in [0, 900, 1_800, 999_999, -5] {
            let picture = try await file("/videos/\(video)?at=\(time)")
            #expect(picture.status == 200)
            _ = try JPEGDecoder().decode(picture.bytes)
            pictures.insert(picture.bytes)
        }
        #expect(pictures.count == 4, "the first picture is that of any time before")
        for path in ["/videos/\(video)", "/videos/\(video)?at=x", "/videos/\(UUID())?at=0"] {
            #expect(try await file(path).status == 404)
        }
        let small = try await file("/thumbnails/\(video)")
        #expect(small.status == 200)
        #expect(try JPEGDecoder().decode(small.bytes).size.width <= Thumbnails.side)
        let movie = try await file("/media/\(video)")
        #expect(movie.bytes.prefix(12).dropFirst(4).elementsEqual("ftypqt  ".utf8))
    }

    @Test func `zoom and focus are actions of the page`() async throws {
        var options = LensOptions()
        options.scene = .shapes(detail: 0.2)
        let world = try await PageWorld.start(options)
        let page = try await world.open()
        _ = try await page.act("camera", #"{"start":{}}"#)
        #expect(page.state("camera")["zoomRange"] as? [Double] == [1, 4])
        _ = try await page.act("camera", #"{"setZoom":{"_0":9}}"#)
        #expect(page.state("camera")["zoomLevel"] as? Double == 4)
        _ = try await page.act("camera", #"{"focus":{"x":0.25,"y":0.75}}"#)
        #expect(page.state("camera")["focus"] as? [String: Double] == ["x": 0.25, "y": 0.75])
        try await page.until("camera") { $0["focus"] == nil }
    }
}
