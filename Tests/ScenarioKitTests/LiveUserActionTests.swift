import Concurrency
import Foundation
import HTTPTypes
import LiveTransport
import ScenarioKit
import ScreenKit
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@Suite("What users do in a recorded session", .timeLimit(.minutes(5)))
@MainActor
struct LiveUserActionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a user does, as JSON of actions.
    private static let actions = [
        #"{"write":{"_0":"one"}}"#, #"{"keep":{"_0":"correct horse"}}"#, #"{"post":{}}"#,
        #"{"write":{"_0":"two"}}"#,
    ]

    /// Records a session in which a page outside does things on a notepad.
    private func record(parameters: [String: String] = [:]) async throws -> (
        session: SessionReader, shown: [String]
    ) {
        let peers = try await LoopbackPeers.start(["box": LetterBox.Slot(losing: 0)])
        let address = peers.authority(of: "box")
        let recorder = LiveRecorder(
            name: RecordedNotepad.name,
            seed: 3,
            parameters: parameters.merging(["address": address]) { $1 },
            secrets: [],
            folder: folder.path,
            inputs: [],
            path: folder.file("pad.lenssession")
        )
        let bridge = ScreenBridge()
        let run = Task {
            defer { bridge.close() }
            return try await recorder.run(stoppedAt: \.self) { session in
                try await Notepad.use(
                    over: session.transport(peers.transport),
                    address,
                    by: bridge,
                    log: bridge.log(session.screenLog),
                    clock: session.clock
                )
            }.recording
        }
        let screen = try #require(await bridge.screens()?.first)
        var shown = [String(decoding: try screen.state(), as: UTF8.self)]
        for action in Self.actions {
            let sent = try screen.action(Data(action.utf8))
            #expect(sent.hasSecret == action.contains("keep"))
            await sent.perform()
            shown.append(String(decoding: try screen.state(), as: UTF8.self))
        }
        bridge.end()
        let session = try await run.value
        await peers.stop()
        // Nobody is left to do it, and nobody waits for it.
        await (try screen.action(Data(Self.actions[0].utf8))).perform()
        return (session, shown)
    }

    @Test func `a page outside sees each state, and the session replays with what was done at its time`()
        async throws
    {
        let (session, shown) = try await record()
        #expect(shown[0].contains(#""text":"""#) && shown[1].contains(#""text":"one""#))
        #expect(shown[2].contains(#""letters":13"#) && shown[3].contains(#""posted":204"#))
        #expect(Set(shown).count == 5, "\(shown)")
        let recorded = try session.screens()
        #expect(recorded.filter { $0.kind == .action }.count == Self.actions.count)
        #expect(recorded.last { $0.kind == .state }?.json == shown.last)
        let report = try session.replay(with: .notepads)
        #expect(report.isSame, "\(report)")
        #expect(report.compared >= 9)
    }

    @Test func `a secret that was typed is not in the file, and what stands for it replays`() async throws {
        let session = try await record().session
        let bytes = try Data(contentsOf: URL(filePath: session.path))
        #expect(bytes.range(of: Data("correct horse".utf8)) == nil)
        #expect(bytes.range(of: Data("pad <redacted>".utf8)) != nil)
        #expect(try session.replay(with: .notepads).isSame)
    }

    @Test func `a program that shows something else now is named by screen and member`() async throws {
        let session = try await record(parameters: ["shouts": "true"]).session
        let difference = try session.replay(with: .notepads).firstDifference
        #expect(difference?.place == "screen pad, state 2, text", "\(difference.debugDescription)")
        #expect(difference?.recorded == #""one""# && difference?.replayed == #""ONE""#)
    }

    @Test func `an action that the program has no more ends the replay with its screen's name`() async throws
    {
        let session = try await record(parameters: ["name": "block"]).session
        let report = try session.replay(with: .notepads)
        #expect(report.endings?.replayed.contains("“pad” has no such action") == true, "\(report)")
    }
}

/// A notepad that posts what is written on it.
@MainActor
private final class Notepad: Screen {
    struct State: Codable, Equatable, Sendable {
        var text = ""
        /// Drawn again at each change.
        var mark = UUID()
        /// Of the secret.
        var letters = 0
        var posted: Int?
    }

    enum Action: Codable, Equatable, Sendable {
        case write(String)
        case keep(EnteredSecret)
        case post
    }

    nonisolated let states: Published<State>
    private let current = CurrentValue(State())
    private let transport: any Transport
    private let address: String
    private let shouts: Bool
    private var secret = EnteredSecret("")

    init(_ transport: any Transport, _ address: String, shouts: Bool) {
        (self.transport, self.address, self.shouts) = (transport, address, shouts)
        states = current.published
    }

    func appear() {}
    func disappear() {}

    func send(_ action: Action) async {
        try? await Task.sleep(for: .milliseconds(5))
        var state = current.value
        state.mark = UUID()
        switch action {
        case .write(let text): state.text = shouts ? text.uppercased() : text
        case .keep(let secret):
            self.secret = secret
            state.letters = secret.reveal().count
        case .post:
            let request = HTTPRequest(method: .post, scheme: "http", authority: address, path: "/")
            let body = "pad \(secret.reveal()) \(state.mark)"
            let answer = try? await transport.send(request, body: .text(body), limits: HTTPLimits())
            state.posted = answer?.head.status.code
        }
        current.set(state)
    }

    static func use(
        over transport: some Transport,
        _ address: String,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock,
        named name: String = "pad",
        shouts: Bool = false
    ) async throws -> Int64 {
        let pad = Notepad(transport, address, shouts: shouts)
        let screens = ObservedScreens([EncodedScreen(name, pad)], log: log)
        defer { screens.stop() }
        try await screens.follow(users)
        return clock.nanoseconds
    }
}

/// A notepad, as it runs again on its recording; with parameters that change it, it is one that has changed since.
private struct RecordedNotepad: RecordedProgram {
    static let name = "notepad"
    let patience = Duration.seconds(60)
    private let parameters: [String: String]

    init(_ session: SessionReader) throws { parameters = session.manifest.parameters }

    func run(on session: ReplayedSession) async throws {
        _ = try await Notepad.use(
            over: session.transport,
            parameters["address"] ?? "",
            by: RecordedActions(of: session),
            log: session.screenLog,
            clock: session.clock,
            named: parameters["name"] ?? "pad",
            shouts: parameters["shouts"] != nil
        )
    }
}

extension ScenarioCatalogue {
    fileprivate static let notepads = ScenarioCatalogue([], programs: [RecordedNotepad.self])
}
