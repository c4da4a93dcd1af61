import Exploration
import Foundation
import GRDB
import HTTPTypes
import LiveTransport
import ScenarioKit
import ScreenKit
import SessionRecording
import Simulation
import TestSupport
import Testing
import Transport

@Suite("A recording seeds a search", .timeLimit(.minutes(10)))
@MainActor
struct LiveExploredRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Seeds within which each planted bug is found.
    private static let seeds: ClosedRange<UInt64> = 1...500

    /// Records what is asked of a server, over real sockets.
    private func record<Value: Sendable>(
        named name: String,
        stoppedAt: (Value) -> Int64?,
        _ body: @escaping @Sendable (RecordedSession, LiveTransport, _ server: String) async throws -> Value
    ) async throws -> SessionReader {
        let peers = try await LoopbackPeers.start([
            "server": ScriptedServer.answering { request, _ in
                .text("found: \(request.path?.split(separator: "=").last ?? "")")
            }
        ])
        let (transport, server) = (peers.transport, peers.authority(of: "server"))
        let recorder = LiveRecorder(
            name: name,
            seed: 5,
            parameters: ["server": server],
            secrets: [],
            folder: folder.path,
            inputs: [],
            path: folder.file("\(name).lenssession")
        )
        let session = try await recorder.run(stoppedAt: stoppedAt) { try await body($0, transport, server) }
            .recording
        await peers.stop()
        return session
    }

    /// Records a use of a program with its bug.
    private func record<Shown: PlantedScreen>(
        _ type: Shown.Type,
        _ actions: [String]
    ) async throws -> SessionReader {
        let session = try await record(named: Shown.name, stoppedAt: \.self) { session, transport, server in
            try await Planted<Shown, Buggy>.use(
                session.transport(transport),
                server,
                by: PatientUser(Shown.name, actions),
                log: session.screenLog,
                clock: session.clock
            )
        }
        // As of a user who looks at the screen for ten seconds more, which the test does not wait for.
        try await DatabaseQueue(path: session.path).write { db in
            try db.execute(
                sql: """
                    UPDATE fact SET value = json_set(value, '$.stoppedAt', json_extract(value, '$.stoppedAt') + 10000000000)
                    WHERE name = 'outcome'
                    """
            )
        }
        return try SessionReader(path: session.path)
    }

    /// A bug that a recording does not show: the search finds it, and finds nothing in the mended program.
    private func find<Shown: PlantedScreen>(
        in type: Shown.Type,
        _ actions: [String],
        plan: String? = nil,
        sources: [String]
    ) async throws {
        let session = try await record(type, actions)
        #expect(session.outcome?.failure == nil)
        let buggy = ScenarioCatalogue([], programs: [Planted<Shown, Buggy>.self])
        let report = try session.replay(with: buggy)
        #expect(report.isSame, "\(report)")

        let program = try session.program(with: buggy)
        let sweep = Sweep(program, seeds: Self.seeds, jobs: 2, plan: plan)
        let found = try sweep.run()
        let run = try #require(
            found.failures.values.first?.runs.first,
            "not in \(found.runs) runs of \(Self.seeds)"
        )
        #expect(found.failures.keys.sorted() == ["always: \(Shown.property.sentence)"])
        #expect(try sweep.run().hash == found.hash, "the same seeds are the same runs")

        let shrunk = try Shrinker(program).shrink(run.recipe)
        // How many firings it takes to be late enough is a matter of how long this machine took to answer, and is not looked at.
        #expect(shrunk.isMinimal && shrunk.after.faults >= 1, "\(shrunk.after)")
        let cause = shrunk.shrunk.firings?.map(\.source) ?? []
        #expect(cause.contains { name in sources.contains { name.hasPrefix($0) } }, "\(cause)")
        let pasted = try #require(Recipe("\(shrunk.shrunk)"))
        #expect(program.run(pasted).failure?.fingerprint == shrunk.failure.fingerprint)
        #expect(program.divergence(pasted) == nil)
        #expect(program.command == "lenssim run --from \(session.path)")

        let mended = try session.program(
            with: ScenarioCatalogue([], programs: [Planted<Shown, Mended>.self])
        )
        let quiet = try Sweep(mended, seeds: Self.seeds, jobs: 2, keepsGoing: true, plan: plan).run()
        #expect(quiet.failures.isEmpty, "\(quiet.failures)")
        #expect(quiet.runs == Self.seeds.count)
    }

    @Test func `what was not recorded is refused, or has no answer where the recording was cut off`()
        async throws
    {
        let session = try await record(named: Wanderer.name, stoppedAt: { _ in nil }) {
            session,
            transport,
            server in
            _ = await session.transport(transport).answer(.get, "/known/7f3a", at: server)
        }
        let catalogue = ScenarioCatalogue([], programs: [Wanderer.self])
        func failures(_ session: SessionReader) throws -> [Failure?] {
            let program = try session.program(with: catalogue)
            return (1...20).map { program.run(Recipe(seed: $0)).failure }
        }
        for failure in try failures(session) {
            #expect(
                failure?.message.contains("/unknown is not in the recording") == true,
                "\(String(describing: failure))"
            )
        }
        try await DatabaseQueue(path: session.path).write { db in
            try db.execute(sql: "DELETE FROM fact WHERE name = 'outcome'")
        }
        let cut = try SessionReader(path: session.path)
        #expect(cut.outcome == nil)
        #expect(try failures(cut).allSatisfy { $0 == nil })
    }

    @Test func `actions whose times are not in their order are done in it all the same`() async throws {
        let session = try await record(
            SearchField.self,
            [#"{"type":{"_0":"lens"}}"#, #"{"type":{"_0":"lenses"}}"#]
        )
        try await DatabaseQueue(path: session.path).write { db in
            try db.execute(
                sql: """
                    UPDATE screen SET nanoseconds = nanoseconds + 5000000000
                    WHERE id = (SELECT min(id) FROM screen WHERE kind = 'action')
                    """
            )
        }
        let catalogue = ScenarioCatalogue([], programs: [Planted<SearchField, Mended>.self])
        let program = try SessionReader(path: session.path).program(with: catalogue)
        let runs = try Sweep(program, seeds: 1...60, jobs: 1, keepsGoing: true).run()
        #expect(runs.failures.isEmpty && runs.runs == 60, "\(runs.failures)")
    }

    @Test func `two answers in another order than they were recorded in`() async throws {
        try await find(
            in: SearchField.self,
            [#"{"type":{"_0":"lens"}}"#, #"{"type":{"_0":"lenses"}}"#],
            sources: ["late GET /search", "late action on search"]
        )
    }

    @Test func `a connection that is lost at one place`() async throws {
        try await find(
            in: Shop.self,
            [#"{"buy":{}}"#],
            plan: "swarm",
            sources: ["reset ", "loss ", "stalls ", "stall ", "plan "]
        )
    }

    @Test func `an answer that comes later than a timer`() async throws {
        try await find(in: Greeting.self, [#"{"open":{}}"#], sources: ["late GET /me"])
    }
}

/// Does one thing after the other on a screen, each when the one before it is done, so that a recording has all answers, however busy the machine is.
private actor PatientUser: UserActions {
    private let screen: String
    private var actions: ArraySlice<String>
    private let done = AsyncStream<Void>.makeStream()

    init(_ screen: String, _ actions: [String]) { (self.screen, self.actions) = (screen, actions[...]) }

    nonisolated func begin(on screens: [EncodedScreen]) { done.continuation.yield() }

    func next() async -> ScreenAction? {
        for await _ in done.stream { break }
        guard let action = actions.popFirst() else { return nil }
        try? await Task.sleep(for: .milliseconds(300))
        return ScreenAction(screen: screen, json: Data(action.utf8)) { [done] in done.continuation.yield() }
    }
}
