import AppKernel
import Concurrency
import Files
import Foundation
import HTTPTypes
import JPEG
import Lens
import LensScenarios
import PageKit
import QuickTime
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Pictures that are attached on a page", .simulated(seeds: 1...6))
struct AttachmentPageTests {
    private static func post(
        _ world: PageWorld,
        _ body: [UInt8],
        page: String,
        origin: String? = "http://\(PageWorld.authority)"
    ) async throws -> Int {
        try await world.status(
            world.request("/attachments?page=\(page)", .post, origin: origin),
            .bytes(body)
        )
    }

    private static func attachment(_ state: [String: Any]) -> [String: Any]? {
        state["attachment"] as? [String: Any]
    }

    private static func picture() throws -> [UInt8] {
        try #require(try PreparedFrames.make(size: PixelSize(width: 320, height: 180)).files.first)
    }

    @Test func `a file that is posted is attached, shown to its page, and sent with the next message`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open()
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        let file = try Self.picture()
        #expect(try await Self.post(world, file, page: page.id) == 204)
        try await page.until("chat") { Self.attachment($0)?["isFile"] as? Bool == true }
        let id = try #require(Self.attachment(page.state("chat"))?["id"] as? String)
        let shown = try await world.pages.send(
            world.request("/attachments/\(id)"),
            body: .empty,
            timeout: .seconds(30)
        )
        #expect(shown.head.status == .ok && shown.head.headerFields[.contentType] == "image/jpeg")
        #expect(try await shown.body.collect(upTo: 1_000_000) == file)
        try await page.act("chat", #"{"say":{"_0":"What is it?"}}"#)
        try await page.until("chat") {
            Self.attachment($0) == nil && ($0["messages"] as? [Any])?.isEmpty == false
        }
        let message = try #require(world.world.lens.conversation.content.value.messages.first)
        #expect(message.content == .image(Data(), caption: "What is it?"))
        let kept = try world.world.lens.conversation.picture(of: message.id)
        #expect(kept == Data(file))
        #expect(try await world.status(world.request("/attachments/\(id)")) == 404)
    }

    /// A movie of prepared pictures.
    private static func movie() throws -> [UInt8] {
        let size = PixelSize(width: 320, height: 180)
        var writer = MovieWriter(size: size)
        var movie = writer.begin()
        for (number, jpeg) in try PreparedFrames.make(size: size).files.prefix(4).enumerated() {
            movie += try writer.add(jpeg, at: .milliseconds(500 * number))
        }
        return movie + writer.finish(at: .seconds(2))
    }

    @Test func `a movie that is posted is attached, sent with the next message, and played by its pictures`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open()
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        #expect(try await Self.postVideo(world, Self.movie(), page: page.id) == 204)
        try await page.until("chat") { Self.attachment($0)?["kind"] as? String == "video" }
        let id = try #require(Self.attachment(page.state("chat"))?["id"] as? String)
        #expect(try await world.status(world.request("/videos/\(id)?at=0")) == 200)
        try await page.act("chat", #"{"say":{"_0":"What happens?"}}"#)
        try await page.until("chat") {
            Self.attachment($0) == nil && ($0["messages"] as? [Any])?.isEmpty == false
        }
        let message = try #require(world.world.lens.conversation.content.value.messages.first)
        #expect(message.videoID?.uuidString == id)
        try await page.act("chat", #"{"openVideo":{"_0":"\#(message.id)"}}"#)
        let open = page.state("chat")["openVideo"] as? [String: Any]
        #expect(open?["id"] as? String == id && open?["message"] as? String == message.id.uuidString)
        #expect((open?["video"] as? [String: Any])?["duration"] as? Double == 2)
        for path in ["/pictures/\(message.id)", "/videos/\(id)?at=1600"] {
            let answer = try await world.pages.send(world.request(path), body: .empty, timeout: .seconds(30))
            #expect(answer.head.status == .ok && answer.head.headerFields[.contentType] == "image/jpeg")
        }
    }

    @Test func `what is no movie or too large is not attached, and one whose page goes is removed`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open()
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        #expect(try await Self.postVideo(world, Array("no movie".utf8), page: page.id) == 422)
        try await page.until("chat") {
            ($0["alert"] as? [String: Any])?["title"] as? String == "The video was not attached"
        }
        #expect(try await Self.postVideo(world, [], page: "nobody") == 409)
        let request = Self.videoRequest(world, page.id)
        let large = HTTPBody.stream(
            ByteStream { () async throws(TransportError) in nil },
            length: ChatClips.byteLimit + 1
        )
        let refused = try? await world.pages.send(request, body: large, timeout: .seconds(30)).head.status
        #expect(refused == nil || refused == .contentTooLarge)
        #expect(Self.attachment(page.state("chat")) == nil && Self.clips(world).isEmpty)
        #expect(try await Self.postVideo(world, Self.movie(), page: page.id) == 204)
        #expect(Self.clips(world).count == 1)
        await page.socket.close(WebSocketClose(code: 1000, reason: ""))
        // Others that come and go take its place among those that may return.
        for _ in 0..<12 {
            let other = try await world.open()
            await other.socket.close(WebSocketClose(code: 1000, reason: ""))
        }
        for _ in 0..<60 where !Self.clips(world).isEmpty { try await Task.sleep(for: .seconds(1)) }
        #expect(Self.clips(world).isEmpty)
    }

    private static func clips(_ world: PageWorld) -> [String] {
        world.documents.names().filter { $0.hasPrefix("clip_") }
    }

    private static func videoRequest(_ world: PageWorld, _ page: String) -> HTTPRequest {
        var request = world.request(
            "/attachments?page=\(page)",
            .post,
            origin: "http://\(PageWorld.authority)"
        )
        request.headerFields[.contentType] = "video/quicktime"
        return request
    }

    private static func postVideo(_ world: PageWorld, _ body: [UInt8], page: String) async throws -> Int {
        try await world.status(videoRequest(world, page), .bytes(body))
    }

    @Test func `what is no picture, too large, of no page, or of another origin is not attached`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open()
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        #expect(try await Self.post(world, Array("<svg/>".utf8), page: page.id) == 422)
        try await page.until("chat") { $0["alert"] != nil }
        let file = try Self.picture()
        #expect(try await Self.post(world, file, page: "nobody") == 409)
        #expect(try await Self.post(world, file, page: page.id, origin: "http://elsewhere") == 403)
        #expect(try await Self.post(world, file, page: page.id, origin: nil) == 403)
        // Refused by its length, before it is read.
        let large = [UInt8](repeating: 0xFF, count: 8 * 1024 * 1024 + 1)
        #expect(try await Self.post(world, large, page: page.id) == 413)
        #expect(Self.attachment(page.state("chat")) == nil)
        #expect(try await world.status(world.request("/attachments/\(UUID())")) == 404)
        #expect(try await world.status(world.request("/attachments/../lens.sqlite")) == 404)
    }

    @Test func `only so many pictures are received at once, and one that does not come whole is given up`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open()
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        let request = world.request(
            "/attachments?page=\(page.id)",
            .post,
            origin: "http://\(PageWorld.authority)"
        )
        let stuck = (0..<4).map { _ in
            Task {
                let body = HTTPBody.stream(
                    ByteStream { () async throws(TransportError) in
                        try? await Task.sleep(for: .seconds(3_600))
                        return nil
                    },
                    length: 1_000
                )
                return try await world.pages.send(request, body: body, timeout: .seconds(7_200)).head.status
                    .code
            }
        }
        try await Task.sleep(for: .seconds(5))
        #expect(try await Self.post(world, Self.picture(), page: page.id) == 503)
        try await Task.sleep(for: .seconds(120))
        #expect(try await Self.post(world, Self.picture(), page: page.id) == 204)
        for task in stuck { task.cancel() }
        for task in stuck { _ = try? await task.value }
    }
}
