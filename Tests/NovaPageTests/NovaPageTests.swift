import Foundation
import HTTPTypes
import JPEG
import Nova
import NovaPage
import NovaServer
import PageKit
import PeerKit
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Nova on a page", .simulated(seeds: 1...8))
@MainActor
struct NovaPageTests {
    private func post(_ card: [String: Any]) -> [String: Any] { card["post"] as? [String: Any] ?? [:] }

    private func size(_ file: [UInt8]) throws -> PixelSize { try JPEGDecoder().header(of: file).size }

    /// The red of the pixel in the middle.
    private func red(_ file: [UInt8]) throws -> Int {
        let picture = try JPEGDecoder().decode(file, layout: .rgb)
        let middle = picture.size.height / 2 * picture.size.width + picture.size.width / 2
        return unsafe picture.withBytes { unsafe Int($0[3 * middle]) }
    }

    @Test func `whoever signs in sees the feed with its pictures, and no secret is in a frame`() async throws
    {
        let visit = try await NovaVisit.start()
        let page = try await visit.open()
        try await visit.signIn(page)
        let cards = visit.cards(page.state("feed"))
        #expect(cards.count == 20 && cards.allSatisfy { $0["id"] as? String == post($0)["id"] as? String })
        let address = try #require(cards.lazy.compactMap { post($0)["image_url"] as? String }.first)
        let before = visit.nova.requestCount
        for _ in 0..<2 {
            let picture = try await visit.get(visit.address(of: address))
            #expect(picture.head.status == .ok && picture.head.headerFields[.contentType] == "image/jpeg")
            #expect(picture.head.headerFields[.cacheControl] == "no-store")
            #expect(picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
        }
        #expect(visit.nova.requestCount == before + 1)
        let password = visit.nova.project.users[0].password
        for frame in page.frames {
            #expect(!frame.text.contains(password) && !frame.text.contains("eyJ"))
        }
        await visit.app.shutdown()
    }

    @Test func `a picture that no tab shows is not asked for, and none is after a sign-out`() async throws {
        let visit = try await NovaVisit.start()
        let page = try await visit.open()
        try await visit.signIn(page)
        let cards = visit.cards(page.state("feed"))
        let address = try #require(cards.lazy.compactMap { post($0)["image_url"] as? String }.first)
        let before = visit.nova.requestCount
        for other in ["http://nova:8080/feed", "http://s3:9000/", "file:///etc/passwd", ""] {
            #expect(try await visit.get(visit.address(of: other)).head.status == .notFound)
        }
        #expect(visit.nova.requestCount == before)
        try await page.act("root", #"{"select":{"_0":"notifications"}}"#)
        try await page.act("root", #"{"signOut":{}}"#)
        try await page.until("root") { $0["root"] as? String == "signIn" }
        try await page.until("feed") { visit.cards($0).isEmpty }
        try await page.until("notifications") { ($0["notifications"] as? [Any])?.isEmpty == true }
        #expect(try await visit.get(visit.address(of: address)).head.status == .notFound)
        await visit.app.shutdown()
    }

    @Test func `a file that a page sends is picked, shown with each filter, and published`() async throws {
        let visit = try await NovaVisit.start()
        let page = try await visit.open()
        try await visit.signIn(page)
        try await page.act("root", #"{"select":{"_0":"create"}}"#)
        #expect(try await visit.post("/photos", Array("no picture".utf8), from: page.id) == .noContent)
        try await page.until("create") { state in
            (state["progress"] as? [String: Any])?["showErrorAlert"] as? Bool == true
        }
        #expect(try await visit.get("/drafts?page=\(page.id)").head.status == .notFound)
        let file = try NovaVisit.picture(400, 300, red: 220)
        #expect(try await visit.post("/photos", file, from: "nobody") == .conflict)
        #expect(try await visit.post("/photos", file, from: page.id) == .noContent)
        try await page.until("create") { $0["step"] as? String == "edit" }
        let draft = try await visit.get("/drafts?page=\(page.id)")
        #expect(try size(draft.body) == PixelSize(width: 400, height: 300))
        let small = try await visit.get("/drafts?page=\(page.id)&filter=mono")
        #expect(try size(small.body) == PixelSize(width: 240, height: 180))
        #expect(try red(draft.body) > 200)
        #expect(try red(small.body) < 130)
        #expect(try await visit.get("/drafts?page=\(page.id)&filter=other").head.status == .notFound)
        try await page.act("create", #"{"setCrop":{"_0":{"left":0.5,"top":0,"width":0.5,"height":1}}}"#)
        try await page.act("create", #"{"setFilter":{"_0":"mono"}}"#)
        try await page.act("create", #"{"applyEdit":{}}"#)
        try await page.until("create") { $0["step"] as? String == "form" }
        let edited = try await visit.get("/drafts?page=\(page.id)")
        #expect(try size(edited.body) == PixelSize(width: 200, height: 300))
        #expect(try red(edited.body) < 130)
        try await page.act("create", #"{"setCaption":{"_0":"Half of it"}}"#)
        try await page.act("create", #"{"publish":{}}"#)
        try await page.until("root") { $0["tab"] as? String == "feed" }
        try await page.until("feed") { state in
            visit.cards(state).first.map { post($0)["caption"] as? String == "Half of it" } == true
        }
        let top = try #require(visit.cards(page.state("feed")).first)
        let address = try #require(post(top)["image_url"] as? String)
        #expect(try await visit.get(visit.address(of: address)).body == edited.body)
        await visit.app.shutdown()
    }

    @Test func `two tabs that pick at once have their own photos, and a pick without a file is a cancel`()
        async throws
    {
        let visit = try await NovaVisit.start()
        let (page, other) = (try await visit.open(), try await visit.open(on: "other-browser"))
        try await visit.signIn(page)
        for tab in [page, other] {
            try await tab.until("root") { $0["root"] as? String == "main" }
            try await tab.act("root", #"{"select":{"_0":"create"}}"#)
        }
        let files = try [(page, 40), (other, 220)].map { ($0.0.id, try NovaVisit.picture(80, 60, red: $0.1)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (id, file) in files {
                group.addTask { _ = try await visit.post("/photos", file, from: id) }
            }
            try await group.waitForAll()
        }
        #expect(try red(await visit.get("/drafts?page=\(page.id)").body) < 60)
        #expect(try red(await visit.get("/drafts?page=\(other.id)").body) > 200)
        try await page.act("create", #"{"back":{}}"#)
        try await page.act("create", #"{"pick":{}}"#)
        try await page.until("create") { state in
            state["step"] as? String == "entry"
                && (state["progress"] as? [String: Any])?["showErrorAlert"] as? Bool == false
        }
        await visit.app.shutdown()
    }

    @Test func `the world beside the app has photos, aeroplane mode and other people`() async throws {
        let visit = try await NovaVisit.start()
        let page = try await visit.open()
        try await visit.signIn(page)
        try await page.act("surroundings", #"{"setAeroplaneMode":{"isOn":true}}"#)
        try await page.until("surroundings") {
            ($0["world"] as? [String: Any])?["isAeroplaneModeOn"] as? Bool == true
        }
        try await page.act("surroundings", #"{"act":{}}"#)
        #expect(visit.world.acts == 1)
        #expect(try size(await visit.get("/library/0").body) == PixelSize(width: 64, height: 48))
        #expect(try await visit.get("/library/1").head.status == .notFound)
        try await page.act("surroundings", #"{"pick":{"photo":1}}"#)
        #expect(try await visit.get("/drafts?page=\(page.id)").head.status == .notFound)
        try await page.act("surroundings", #"{"pick":{"photo":0}}"#)
        #expect(
            try size(await visit.get("/drafts?page=\(page.id)").body) == PixelSize(width: 64, height: 48)
        )
        await visit.app.shutdown()
    }

    @Test func `a portrait that a page sends is in the form, and is the person's after saving`() async throws
    {
        let visit = try await NovaVisit.start()
        let page = try await visit.open()
        try await visit.signIn(page)
        try await page.act("root", #"{"navigate":{"_0":{"editProfile":{}}}}"#)
        try await page.until("editProfile") { $0["isOpen"] as? Bool == true }
        #expect(try await visit.get("/avatar?page=\(page.id)").head.status == .notFound)
        let file = try NovaVisit.picture(90, 90, red: 200)
        #expect(try await visit.post("/avatar", file, from: page.id) == .noContent)
        try await page.until("editProfile") { $0["avatarVersion"] as? Int == 1 }
        let avatar = try await visit.get("/avatar?page=\(page.id)")
        #expect(try size(avatar.body) == PixelSize(width: 90, height: 90))
        let before = (page.state("root")["user"] as? [String: Any])?["avatar_url"] as? String
        try await page.act("editProfile", #"{"save":{}}"#)
        try await page.until("root") { state in
            let address = (state["user"] as? [String: Any])?["avatar_url"] as? String
            return address != nil && address != before
        }
        await visit.app.shutdown()
    }

    @Test
    func `the app is in the background when no tab is visible, and in the foreground when one is again`()
        async throws
    {
        let visit = try await NovaVisit.start()
        let (page, other) = (try await visit.open(), try await visit.open(on: "other-browser"))
        try await visit.signIn(page)
        let names = { visit.nova.analytics.compactMap { $0["name"]?.string } }
        for tab in [page, other] { try await tab.act("presence", #"{"setVisible":{"isVisible":true}}"#) }
        try await page.act("presence", #"{"setVisible":{"isVisible":false}}"#)
        try await Task.sleep(for: .seconds(5))
        #expect(!names().contains("app_background") && !names().contains("app_foreground"))
        visit.network.reset("other-browser", "phone")
        for _ in 0..<100 where !names().contains("app_background") {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(names().last == "app_background")
        try await page.act("presence", #"{"setVisible":{"isVisible":true}}"#)
        try await Task.sleep(for: .seconds(1))
        await visit.page.leave()
        #expect(names().suffix(2) == ["app_foreground", "app_background"])
        await visit.app.shutdown()
    }
}
