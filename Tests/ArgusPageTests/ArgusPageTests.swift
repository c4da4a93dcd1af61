import Argus
import ArgusHub
import ArgusPage
import Foundation
import HTTPTypes
import PageKit
import ServiceClient
import Services
import SimulatedPush
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Argus on a page", .simulated(seeds: 1...8))
@MainActor
struct ArgusPageTests {
    private func project(_ count: Int) -> ArgusProject {
        ArgusProject(
            events: (0..<count).map { number in
                HubEvent(
                    id: "evt_\(number + 1)",
                    timestamp: Date(timeIntervalSince1970: 1_767_614_400 + Double(number)),
                    detectionType: "person",
                    description: "Event \(number + 1)"
                )
            }
        )
    }

    private func rows(_ state: [String: Any]) -> [[String: Any]] { state["rows"] as? [[String: Any]] ?? [] }

    @Test func `a page that is opened pairs, lists the events by itself, and shows their pictures`()
        async throws
    {
        let visit = try await ArgusVisit.start(project(3))
        let page = try await visit.open()
        try await visit.pair(page)
        try await page.until("root") { $0["root"] as? String == "events" }
        // Nobody has asked for them.
        try await page.until("events") { state in
            rows(state).count == 3 && rows(state).allSatisfy { $0["thumbnail"] as? String == "shown" }
        }
        let first = try #require(rows(page.state("events")).first)
        #expect(first["description"] as? String == "Event 3" && first["icon"] as? String == "person")
        #expect(first["cameraName"] as? String == "Front Door Camera")
        #expect(first["time"] as? Double == 1_767_614_402)
        let picture = try await visit.get("/thumbnails/evt_3")
        #expect(picture.head.status == .ok && picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(picture.head.headerFields[.contentType] == "image/jpeg")
        #expect(picture.head.headerFields[.cacheControl] == "no-store")
        await visit.app.shutdown()
    }

    @Test func `no token of the hub is in a frame`() async throws {
        let visit = try await ArgusVisit.start(project(1))
        let page = try await visit.open()
        try await visit.toEvents(page)
        let kept = try #require(try await visit.app.auth.tokens.kept())
        let refresh = try #require(kept.refresh)
        let secrets = [kept.value.reveal(), refresh.reveal()]
        #expect(page.frames.count > 5)
        for frame in page.frames { #expect(!secrets.contains(where: frame.text.contains)) }
        await visit.app.shutdown()
    }

    @Test func `a wrong code is said to be one, and the next one pairs`() async throws {
        let visit = try await ArgusVisit.start(project(1))
        let page = try await visit.open()
        try await visit.pair(page, "000000")
        try await page.until("pairing") { state in
            let progress = state["progress"] as? [String: Any]
            return progress?["showErrorAlert"] as? Bool == true
                && progress?["errorMessage"] as? String == "Invalid Code"
        }
        #expect(page.state("root")["root"] as? String == "pairing")
        try await visit.toEvents(page)
        await visit.app.shutdown()
    }

    @Test func `an event that is opened in one tab is open in the other, and loads by itself`() async throws {
        let visit = try await ArgusVisit.start(project(2))
        let page = try await visit.open()
        let other = try await visit.open(on: "other-browser")
        try await visit.toEvents(page)
        try await page.act("root", #"{"open":{"eventID":"evt_1"}}"#)
        for tab in [page, other] {
            try await tab.until("detail") { state in
                let event = (state["detail"] as? [String: Any])?["event"] as? [String: Any]
                return state["eventID"] as? String == "evt_1" && event?["description"] as? String == "Event 1"
                    && event?["thumbnail"] as? String == "shown"
            }
        }
        try await other.act("root", #"{"close":{}}"#)
        for tab in [page, other] { try await tab.until("detail") { $0["eventID"] == nil } }
        await visit.app.shutdown()
    }

    @Test func `a page that is loaded again has the list that it had`() async throws {
        let visit = try await ArgusVisit.start(project(25))
        let page = try await visit.open()
        try await visit.toEvents(page)
        try await page.act("events", #"{"loadMore":{}}"#)
        try await page.until("events") { rows($0).count == 25 }
        visit.network.reset("browser", "phone")
        let again = try await visit.open(#"{"page":"\#(page.id)"}"#)
        try await again.until("events") { rows($0).count == 25 }
        await visit.app.shutdown()
    }

    @Test func `a notification is a notice in each tab, brings its event to the list, and its tap opens it`()
        async throws
    {
        let visit = try await ArgusVisit.start(project(2))
        let page = try await visit.open()
        let other = try await visit.open(on: "other-browser")
        try await visit.toEvents(page)
        var event = try #require(project(3).events.last)
        event.id = "evt_ring"
        visit.hub.add(event)
        let payload = #"{"aps":{"alert":{"title":"t","body":"b"}},"event_id":"evt_ring"}"#
        visit.push.deliver(
            PushNotification(id: "n1", title: "Ring", body: "Front", payload: Array(payload.utf8))
        )
        for tab in [page, other] {
            try await tab.until("root") {
                ($0["notices"] as? [[String: Any]])?.first?["id"] as? String == "n1"
            }
            try await tab.until("events") { rows($0).first?["id"] as? String == "evt_ring" }
        }
        #expect(page.state("root")["eventID"] == nil)
        try await page.act("root", #"{"tap":{"noticeID":"n1"}}"#)
        try await page.until("detail") { $0["eventID"] as? String == "evt_ring" }
        await visit.app.shutdown()
    }

    @Test func `settings say which hub it is and how it is reached, and their sign-out leaves nothing of it`()
        async throws
    {
        let visit = try await ArgusVisit.start(project(2))
        let page = try await visit.open()
        try await visit.toEvents(page)
        try await page.until("settings") { state in
            state["hubID"] as? String == visit.hub.project.hubID && state["way"] as? String == "relay"
                && state["notifications"] as? String == "registered"
                && state["isSessionKept"] as? Bool == true
        }
        try await page.act("settings", #"{"signOut":{}}"#)
        try await page.until("root") { $0["root"] as? String == "pairing" }
        try await page.until("events") { rows($0).isEmpty && $0["isLoaded"] as? Bool == false }
        try await page.until("settings") { $0["hubID"] == nil && $0["isPaired"] as? Bool == false }
        #expect(try await visit.get("/thumbnails/evt_1").head.status == .notFound)
        await visit.app.shutdown()
    }

    @Test func `a picture has to be one of an event that a tab shows`() async throws {
        let visit = try await ArgusVisit.start(project(2))
        let page = try await visit.open()
        try await visit.toEvents(page)
        for path in ["/evt_9", "/", "/..%2Fx", "/%ff", ""] {
            #expect(try await visit.get("/thumbnails\(path)").head.status == .notFound, "\(path)")
        }
        await visit.app.shutdown()
    }

    @Test func `the home beside the app does what is switched in it`() async throws {
        let visit = try await ArgusVisit.start()
        let page = try await visit.open()
        func home(_ state: [String: Any]) -> [String: Any] { state["home"] as? [String: Any] ?? [:] }
        try await page.until("home") { home($0)["code"] as? String == "012345" }
        try await page.act("home", #"{"setHub":{"isAtHome":false}}"#)
        try await page.act("home", #"{"setInternet":{"isOn":false}}"#)
        try await page.act("home", #"{"ring":{}}"#)
        try await page.act("home", #"{"showCode":{}}"#)
        try await page.until("home") { state in
            home(state)["isHubAtHome"] as? Bool == false && home(state)["isInternetOn"] as? Bool == false
                && home(state)["code"] as? String == "543210"
        }
        #expect(visit.home.rings == 1)
        await visit.app.shutdown()
    }

    @Test
    func `with a hub that speaks as the public one the page shows a code, and pairs when it is confirmed`()
        async throws
    {
        let visit = try await ArgusVisit.start(ArgusProject(dialect: .hub))
        let page = try await visit.open()
        try await page.until("pairing") { $0["dialect"] as? String == "hub" && $0["shown"] == nil }
        func code(other than: String = "") async throws -> String {
            try await page.act("pairing", #"{"requestCode":{}}"#)
            var code = ""
            try await page.until("pairing") { state in
                let shown = state["shown"] as? [String: Any]
                code = shown?["code"] as? String ?? ""
                return code.count == 6 && code != than && (shown?["secondsLeft"] as? Int ?? 0) > 200
            }
            return code
        }
        let first = try await code()
        try await page.act("pairing", #"{"cancelCode":{}}"#)
        try await page.until("pairing") { $0["shown"] == nil }
        let second = try await code(other: first)
        #expect(visit.hub.confirm(second))
        try await page.until("root") { $0["root"] as? String == "events" }
        await visit.app.shutdown()
    }
}
