import Concurrency
import Foundation
import HTTPTypes
import ScenarioKit
import ScreenKit
import SessionRecording
import Transport

/// A screen of a small program that asks a server, with a bug or without.
protocol PlantedScreen: Screen, SendableMetatype {
    /// Names the screen, the program, and its recordings.
    nonisolated static var name: String { get }
    /// What the bug breaks.
    nonisolated static var property: ScreenProperty { get }

    init(_ http: any HTTPClient, at authority: String, isMended: Bool)
}

extension PlantedScreen {
    func appear() {}
    func disappear() {}
}

/// Whether a program has its bug.
protocol PlantedVersion: Sendable { static var isMended: Bool { get } }

enum Buggy: PlantedVersion { static let isMended = false }
enum Mended: PlantedVersion { static let isMended = true }

/// A program of one such screen, as it runs again on its recording.
struct Planted<Shown: PlantedScreen, Version: PlantedVersion>: RecordedProgram {
    static var name: String { Shown.name }
    static var properties: [ScreenProperty] { [Shown.property] }
    let patience = Duration.seconds(60)
    private let authority: String

    init(_ session: SessionReader) throws { authority = session.manifest.parameters["server"] ?? "" }

    func run(on session: ReplayedSession) async throws {
        _ = try await Self.use(
            session.transport,
            authority,
            by: RecordedActions(of: session),
            log: session.screenLog,
            clock: session.clock
        )
    }

    @MainActor
    static func use(
        _ http: any HTTPClient,
        _ authority: String,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock
    ) async throws -> Int64 {
        let screen = Shown(http, at: authority, isMended: Version.isMended)
        let screens = ObservedScreens([EncodedScreen(Shown.name, screen)], log: log)
        defer { screens.stop() }
        try await screens.follow(users)
        return clock.nanoseconds
    }
}

/// Shows what a search finds for what is typed.
///
/// The bug: the answer that comes last is shown, whatever it is an answer to.
@MainActor
final class SearchField: PlantedScreen {
    struct State: Codable, Equatable, Sendable {
        var typed = ""
        var found: String?
    }

    enum Action: Codable, Equatable, Sendable { case type(String) }

    nonisolated static let name = "search"
    nonisolated static let property = ScreenProperty(of: name, "what is found is what was typed last") {
        (state: State) in state.found.map { $0 == "found: \(state.typed)" } ?? true
    }

    nonisolated let states: Published<State>
    private let current = CurrentValue(State())
    private let http: any HTTPClient
    private let authority: String
    private let isMended: Bool

    init(_ http: any HTTPClient, at authority: String, isMended: Bool) {
        (self.http, self.authority, self.isMended) = (http, authority, isMended)
        states = current.published
    }

    func send(_ action: Action) async {
        guard case .type(let text) = action else { return }
        current.update { $0 = State(typed: text) }
        guard let found = await http.answer(.get, "/search?text=\(text)", at: authority) else { return }
        if isMended, current.value.typed != text { return }
        current.update { $0.found = found }
    }
}

/// Reserves, and then pays.
///
/// The bug: a payment that was not answered counts as made.
@MainActor
final class Shop: PlantedScreen {
    struct State: Codable, Equatable, Sendable {
        var isReserved = false
        var isPaid = false
        var receipt: String?
    }

    enum Action: Codable, Equatable, Sendable { case buy }

    nonisolated static let name = "shop"
    nonisolated static let property = ScreenProperty(of: name, "what is paid has a receipt") {
        (state: State) in !state.isPaid || state.receipt != nil
    }

    nonisolated let states: Published<State>
    private let current = CurrentValue(State())
    private let http: any HTTPClient
    private let authority: String
    private let isMended: Bool

    init(_ http: any HTTPClient, at authority: String, isMended: Bool) {
        (self.http, self.authority, self.isMended) = (http, authority, isMended)
        states = current.published
    }

    func send(_ action: Action) async {
        guard await http.answer(.post, "/reserve", at: authority) != nil else { return }
        current.update { $0.isReserved = true }
        let receipt = await http.answer(.post, "/pay", at: authority)
        if isMended, receipt == nil { return }
        current.update { ($0.isPaid, $0.receipt) = (true, receipt) }
    }
}

/// Greets whoever is logged in, and says so where that takes long.
///
/// The bug: it goes on saying so.
@MainActor
final class Greeting: PlantedScreen {
    struct State: Codable, Equatable, Sendable {
        var name: String?
        var isSlow = false
    }

    enum Action: Codable, Equatable, Sendable { case open }

    nonisolated static let name = "greeting"
    nonisolated static let property = ScreenProperty(of: name, "who is greeted is waited for no longer") {
        (state: State) in state.name == nil || !state.isSlow
    }

    nonisolated let states: Published<State>
    private let current = CurrentValue(State())
    private let http: any HTTPClient
    private let authority: String
    private let isMended: Bool

    init(_ http: any HTTPClient, at authority: String, isMended: Bool) {
        (self.http, self.authority, self.isMended) = (http, authority, isMended)
        states = current.published
    }

    func send(_ action: Action) async {
        let noticing = Task {
            try await Task.sleep(for: .seconds(5))
            if current.value.name == nil { current.update { $0.isSlow = true } }
        }
        defer { noticing.cancel() }
        guard let name = await http.answer(.get, "/me", at: authority) else { return }
        current.update { state in
            state.name = name
            if isMended { state.isSlow = false }
        }
    }
}

extension HTTPClient {
    /// The text of an answer; `nil` where none came.
    func answer(_ method: HTTPRequest.Method, _ path: String, at authority: String) async
        -> String?
    {
        let request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
        guard let answer = try? await send(request, body: .empty, limits: HTTPLimits()),
            let bytes = try? await answer.body.collect(upTo: 1000)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Asks twice for what was asked once under another identifier, and then for what was never asked.
struct Wanderer: RecordedProgram {
    static let name = "wanderer"
    let patience = Duration.seconds(60)
    private let authority: String

    init(_ session: SessionReader) throws { authority = session.manifest.parameters["server"] ?? "" }

    func run(on session: ReplayedSession) async throws {
        for _ in 0..<2 {
            guard await session.transport.answer(.get, "/known/19c2", at: authority) == "found: /known/7f3a"
            else { throw NoWelcome() }
        }
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/unknown")
        _ = try await session.transport.send(request, body: .empty, limits: HTTPLimits())
    }
}

/// What was asked once was not answered again.
struct NoWelcome: Error {}
