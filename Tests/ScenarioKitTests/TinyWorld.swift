import Concurrency
import HTTPTypes
import Probes
import ScenarioKit
import ScreenKit
import SimulatedTransport
import Simulation
import TestSupport
import Transport

/// A letter box that counts what it gets, reached through whatever binding its run has.
struct LetterBox: Scenario {
    enum Paper: String, CaseIterable, Sendable { case plain, airmail }

    static let name = "letter-box"
    static let summary = "letters are posted one after the other, and each one arrives once"
    static let needsSimulatedNetwork = false
    static let expects = ["a letter takes long"]
    static let settings: [Setting<Self>] = [
        Setting("letters", \.letters, in: 1...100, "Letters to post."),
        Setting("stamped", \.isStamped, "Letters have stamps."),
        Setting("paper", \.paper, "What they are written on."),
        Setting("lost", \.lost, in: 0...100, "The letter that the box loses; 0 for none."),
    ]

    var letters = 3
    var isStamped = true
    var paper = Paper.plain
    var lost = 0

    func run() async throws -> ScenarioSummary {
        let box = Slot(losing: lost)
        let link = LinkConditions(latency: .constant(.milliseconds(1)))
        let world = try await AppWorld.start(Blueprint(peers: [WorldPeer("box", box)], link: link) { $0 })
        for letter in 1...letters {
            let start = ContinuousClock.now
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...20)))
            try await world.onDevice { [paper] device in
                let (authority, path) = (device.authority(of: "box"), "/\(paper)")
                _ = try await device.transport.send(
                    HTTPRequest(method: .post, scheme: "http", authority: authority, path: path),
                    body: .empty,
                    limits: HTTPLimits()
                )
            }
            sometimes("a letter takes long", ContinuousClock.now - start > .milliseconds(15))
            Simulation.current?.note("post", "letter \(letter)")
        }
        try check(box.count == letters, "every letter arrives once", "\(box.count) of \(letters)")
        return ScenarioSummary(["letters": box.count, "sockets": world.isSimulated ? 0 : 1])
    }

    final class Slot: Server {
        private let lost: Int
        private let arrived = Box(0)
        private let seen = Box(0)

        init(losing lost: Int) { self.lost = lost }

        var count: Int { arrived.value }

        func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
            if seen.add(1) != lost { arrived.add(1) }
            return (HTTPResponse(status: .noContent), .empty)
        }

        func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
            .refuse(HTTPResponse(status: .notFound), .empty)
        }
    }
}

extension ScenarioCatalogue {
    /// The test's own.
    static let tiny = ScenarioCatalogue(
        [LetterBox.self, Failing.self, TwoWindows.self],
        programs: [RecordedTypist.self]
    )
}

/// Violates its property after a second.
struct Failing: Scenario {
    static let name = "failing"
    static let summary = "violates its property"

    func run() async throws -> ScenarioSummary {
        try await Task.sleep(for: .seconds(1))
        try check(1 + 1 == 3, "sums are right", "2")
        return ScenarioSummary()
    }
}

/// A window whose page is turned, and another one that is opened in its place.
struct TwoWindows: Scenario {
    static let name = "two-windows"
    static let summary = "pages of two windows are turned"
    static let settings: [Setting<Self>] = []

    func run() async throws -> ScenarioSummary {
        let (first, second) = (await Page(), await Page())
        await RunScreens.follow([EncodedScreen("page", first)])
        for number in [1, 2, 2] { await first.send(.turn(number)) }
        try await Task.sleep(for: .seconds(1))
        await RunScreens.follow([EncodedScreen("page", second)])
        await second.send(.turn(7))
        await first.send(.turn(3))
        await second.send(.turn(8))
        return ScenarioSummary(["pages": 8])
    }

    /// A screen with a number.
    @MainActor
    final class Page: Screen {
        struct State: Codable, Hashable, Sendable { var number = 0 }
        enum Action: Codable, Hashable, Sendable { case turn(Int) }

        nonisolated let states: Published<State>
        private let current = CurrentValue(State())

        init() { states = current.published }

        func appear() {}
        func disappear() {}
        func send(_ action: Action) async {
            switch action {
            case .turn(let number): current.set(State(number: number))
            }
        }
    }
}
