import Argus
import ArgusHub
import Foundation
import HTTPTypes
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Testing

@Suite("Errors of Argus", .simulated(seeds: 1...5))
@MainActor
struct ErrorTests {
    /// What can go wrong at the hub, how it is brought about, and what the app makes of it.
    enum Failure: String, CaseIterable {
        case network, unauthorized, notFound, server, decoding

        var error: APIError {
            switch self {
            case .network: .network
            case .unauthorized: .unauthorized
            case .notFound: .notFound
            case .server: .server(status: 500)
            case .decoding: .decoding
            }
        }

        /// The fault point of the hub; the network's own failure is in the network.
        var point: String {
            switch self {
            case .network: ""
            case .unauthorized: "argus.revoked"
            case .notFound: "argus.404"
            case .server: "argus.500"
            case .decoding: "argus.malformed"
            }
        }
    }

    private func fixture() async throws -> ArgusFixture {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1), .sample(2)]))
        try await fixture.pair()
        return fixture
    }

    /// Has every call fail at the hub, and returns what heals it.
    private func bring(_ failure: Failure, to fixture: ArgusFixture) throws -> @MainActor () -> Void {
        if failure == .network {
            fixture.network.isolate("phone")
            return { fixture.network.heal() }
        }
        try fixture.hub.faults.arm(failure.point)
        return { fixture.hub.faults.disarm() }
    }

    @Test(
        "ARGUS-082 ARGUS-085 ARGUS-086 in the list each failure of the hub is an error with its words; its retry does the same again, and a success clears it",
        arguments: Failure.allCases
    )
    func list(_ failure: Failure) async throws {
        let fixture = try await fixture()
        let events = fixture.screens.events
        let heal = try bring(failure, to: fixture)
        await events.send(.load)
        #expect(events.state.errorMessage == failure.error.localizedDescription)
        #expect(!events.state.isLoading && events.state.errorMessage?.isEmpty == false)
        await #expect(throws: failure.error) { try await fixture.app.api.fetchCameras() }
        await events.send(.retry)
        #expect(events.state.errorMessage == failure.error.localizedDescription)
        heal()
        await events.send(.retry)
        #expect(events.state.errorMessage == nil && events.state.rows.count == 2)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-085 ARGUS-086 in the detail each failure of the hub is an error with its words; its retry does the same again, and a success clears it",
        arguments: Failure.allCases
    )
    func detail(_ failure: Failure) async throws {
        let fixture = try await fixture()
        let detail = fixture.screens.detail(of: "evt_1")
        detail.appear()
        let heal = try bring(failure, to: fixture)
        await detail.send(.load)
        #expect(detail.state.errorMessage == failure.error.localizedDescription)
        #expect(!detail.state.isLoading && detail.state.event == nil)
        heal()
        await detail.send(.load)
        #expect(detail.state.errorMessage == nil && detail.state.event?.id == "evt_1")
        await fixture.app.shutdown()
    }

    @Test(
        "a list that the hub does not have is an error, too, and so is a page that fails: its retry asks for that page"
    )
    func listParts() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: (1...30).map { HubEvent.sample($0) }))
        try await fixture.pair()
        let failing = FailingAPI(base: fixture.app.api)
        let events = EventListViewModel(failing, fixture.app.auth)
        events.appear()
        failing.fail("/events", with: .notFound)
        await events.send(.load)
        #expect(events.state.errorMessage == APIError.notFound.localizedDescription)
        failing.fail("/events", with: nil)
        await events.send(.retry)
        failing.fail("/events", with: .network)
        await events.send(.loadMore)
        #expect(
            events.state.errorMessage == APIError.network.localizedDescription
                && events.state.rows.count == 20
        )
        failing.fail("/events", with: nil)
        await events.send(.retry)
        #expect(events.state.errorMessage == nil && events.state.rows.count == 30)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-083 any other status is an error of the server with its number",
        arguments: [403, 409, 418, 429, 502, 503]
    )
    func otherStatus(_ status: Int) async throws {
        let fixture = try await fixture()
        await fixture.app.shutdown()
        let app = fixture.app(over: ScriptedHub { _ in status })
        await #expect(throws: APIError.server(status: status)) { try await app.api.fetchEvents(page: 1) }
        #expect(APIError.server(status: status).localizedDescription.contains("\(status)"))
    }

    @Test("a picture that cannot be had leaves the event shown")
    func picture() async throws {
        let fixture = try await fixture()
        let failing = FailingAPI(base: fixture.app.api)
        failing.fail("/thumbnail", with: .notFound)
        let detail = EventDetailViewModel("evt_1", failing, fixture.app.auth)
        detail.appear()
        await detail.send(.load)
        #expect(
            detail.state.event?.id == "evt_1" && detail.state.errorMessage == nil && detail.thumbnail == nil
        )
        #expect(detail.state.event?.thumbnail == .missing)
        await fixture.app.shutdown()
    }
}
