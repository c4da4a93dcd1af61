import Flow
import FlowPage
import FlowServer
import PageKit
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Flow on a page", .simulated(seeds: 1...8))
@MainActor
struct FlowPageTests {
    @Test func `a person goes from the welcome to the end, and no secret is in a frame`() async throws {
        let visit = try await FlowVisit.start()
        let page = try await visit.open()
        try await visit.logIn(page, password: "never in a frame")
        try await visit.verify(page)
        let first = #"{"fullName":"Ada Lovelace","dateOfBirth":"1815-12-10"}"#
        try await page.act("step1", #"{"edit":{"_0":\#(first)}}"#)
        try await page.act("step1", #"{"submit":{}}"#)
        try await page.until("flow") { $0["currentStep"] as? String == "step2" }
        try await page.act("step2", #"{"edit":{"_0":{"address":"12 St James’s Square","city":"London"}}}"#)
        try await page.act("step2", #"{"submit":{}}"#)
        try await page.act("step3", #"{"edit":{"_0":{"acceptsTerms":true}}}"#)
        try await page.act("step3", #"{"submit":{}}"#)
        try await page.until("flow") { $0["currentStep"] as? String == "completion" }
        try await page.until("overview") { state in
            ["email": "ada@example.org", "fullName": "Ada Lovelace", "city": "London"].allSatisfy {
                state[$0.key] as? String == $0.value
            }
        }
        #expect(page.state("overview")["isShown"] as? Bool == true)
        try await page.act("flow", #"{"finish":{}}"#)
        try await page.until("overview") {
            $0["isShown"] as? Bool == false && $0["result"] as? String == "completed"
        }
        let code = visit.service.project.verificationCode
        for frame in page.frames {
            #expect(!frame.text.contains("never in a frame") && !frame.text.contains(code))
        }
    }

    @Test func `a password and a code are refused in the socket, and their screens have only marks of them`()
        async throws
    {
        let visit = try await FlowVisit.start()
        let page = try await visit.open()
        let password = #"{"setPassword":{"_0":"typed"}}"#
        #expect(try await page.act("authentication", password).error == "secretInMessage")
        let code = #"{"setCode":{"_0":"424242"}}"#
        #expect(try await page.act("verification", code).error == "secretInMessage")
        try await page.until("authentication") { $0["hasPassword"] as? Bool == false }
        let answer = try await visit.sendSecret(page, #"{"screen":"authentication","action":\#(password)}"#)
        #expect(answer.status == 200 && answer.text.contains(#""hasPassword":true"#))
        #expect(!answer.text.contains("typed"))
        try await page.until("authentication") { $0["hasPassword"] as? Bool == true }
    }

    @Test func `a page that is loaded again has what was typed, and another tab has it too`() async throws {
        let visit = try await FlowVisit.start()
        let page = try await visit.open()
        let other = try await visit.open(on: "other-browser")
        try await visit.logIn(page)
        try await visit.verify(page)
        try await page.act("step1", #"{"edit":{"_0":{"fullName":"Ada","dateOfBirth":""}}}"#)
        visit.network.reset("browser", "phone")
        let again = try await visit.open(#"{"page":"\#(page.id)"}"#)
        func hasAda(_ state: [String: Any]) -> Bool {
            (state["model"] as? [String: Any])?["fullName"] as? String == "Ada"
        }
        try await again.until("step1", hasAda)
        try await other.until("step1", hasAda)
        try await other.until("flow") { $0["navigationState"] as? String == "feature3" }
    }

    @Test func `a tab that is closed leaves the others what they follow`() async throws {
        let visit = try await FlowVisit.start()
        let page = try await visit.open()
        let other = try await visit.open(on: "other-browser")
        try await other.until("flow") { $0["navigationState"] as? String == "feature1" }
        await other.socket.close(.normal)
        try await Task.sleep(for: .seconds(1))
        try await visit.logIn(page)
        try await page.until("overview") { $0["email"] as? String == "ada@example.org" }
    }

    @Test func `a new flow takes the place of the one before in every tab, with empty fields`() async throws {
        let visit = try await FlowVisit.start()
        let page = try await visit.open()
        let other = try await visit.open(on: "other-browser")
        try await visit.logIn(page)
        try await other.act("flow", #"{"cancel":{}}"#)
        for tab in [page, other] {
            try await tab.until("overview") {
                $0["isShown"] as? Bool == false && $0["result"] as? String == "cancelled"
            }
        }
        let before = visit.page.screens
        try await other.act("overview", #"{"start":{}}"#)
        for tab in [page, other] {
            try await tab.until("overview") { $0["isShown"] as? Bool == true }
            try await tab.until("authentication") {
                $0["email"] as? String == "" && $0["hasPassword"] as? Bool == false
            }
        }
        #expect(visit.page.screens !== before)
        // Who clicks twice begins one flow.
        let present = visit.page.screens
        try await other.act("overview", #"{"start":{}}"#)
        #expect(visit.page.screens === present)
        // What still comes of the flow before is not seen.
        await before.authentication.send(.setEmail("former@example.org"))
        try await page.act("authentication", #"{"setEmail":{"_0":"new@example.org"}}"#)
        try await other.until("authentication") { $0["email"] as? String == "new@example.org" }
        #expect((page.frames + other.frames).allSatisfy { !$0.text.contains("former@example.org") })
    }
}
