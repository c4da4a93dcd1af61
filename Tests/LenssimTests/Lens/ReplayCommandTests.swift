import Foundation
import GRDB
import TestSupport
import Testing

@Suite("lenssim replay", .timeLimit(.minutes(10)))
struct ReplayCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    /// Records a demonstration of three seconds.
    private func record() async throws {
        let run = try await lenssim(
            "demo",
            "--seconds",
            "3",
            "--seed",
            "5",
            "--state",
            "state",
            "--session",
            "a.lenssession"
        )
        #expect(run.status == 0, "\(run.errors)")
    }

    private struct Outcome: Decodable {
        var same: Bool
        var compared: Int
        var firstDifference: String?
    }

    private func replayed(_ file: String) async throws -> (status: Int32, outcome: Outcome) {
        let run = try await lenssim("replay", file, "--json")
        return (run.status, try JSONDecoder().decode(Outcome.self, from: Data(run.output.utf8)))
    }

    /// A state of the stream's screen, as it was recorded.
    private struct State: Decodable, FetchableRecord {
        var id: Int64
        /// Its place among the states and actions of its screen.
        var number: Int
    }

    /// The states of the stream, which change during all of the recording.
    private func states(of file: String) throws -> [State] {
        let database = try DatabaseQueue(path: folder.file(file))
        defer { try? database.close() }
        let rows =
            "SELECT id, kind, row_number() OVER (ORDER BY id) - 1 AS number FROM screen WHERE name = 'stream'"
        return try database.read { database in
            try State.fetchAll(
                database,
                sql: "SELECT id, number FROM (\(rows)) WHERE kind = 'state' ORDER BY id"
            )
        }
    }

    /// Has the recording say that a state showed another number than it did.
    private func change(_ state: State, in file: String) async throws {
        let database = try DatabaseQueue(path: folder.file(file))
        try await database.write {
            try $0.execute(
                sql: "UPDATE screen SET json = json_set(json, '$.framesPerSecond', 29) WHERE id = ?",
                arguments: [state.id]
            )
        }
        try database.close()
    }

    @Test(
        "LENS-254 a recording is listed, inspected and replayed, where each of its states comes again; one that does not is the first difference, and the exit code is 1"
    )
    func states() async throws {
        try await record()
        let listed = try await lenssim("sessions", "--json")
        #expect(
            listed.status == 0 && listed.output.contains(#""path" : "a.lenssession""#),
            "\(listed.output)"
        )
        let states = try states(of: "a.lenssession")
        try #require(states.count > 10)
        let inspected = try await lenssim(
            "inspect",
            "a.lenssession",
            "--only",
            "states",
            "--screen",
            "stream",
            "--json"
        )
        let ids = states.map { "\"id\":\"s\($0.id)\"" }
        let entries = inspected.output.split(separator: "\n")
        #expect(entries.count == ids.count)
        #expect(zip(entries, ids).allSatisfy { entry, id in entry.contains(id) }, "\(inspected.output)")

        let same = try await replayed("a.lenssession")
        #expect(same.status == 0 && same.outcome.same && same.outcome.compared > states.count)
        #expect(same.outcome.firstDifference == nil)
        for state in [states[0], states[states.count / 2], states[states.count - 1]] {
            let other = "other-\(state.id).lenssession"
            try FileManager.default.copyItem(
                atPath: folder.file("a.lenssession"),
                toPath: folder.file(other)
            )
            try await change(state, in: other)
            let (status, outcome) = try await replayed(other)
            #expect(status == 1 && !outcome.same)
            let expected = "screen stream, state \(state.number), framesPerSecond:"
            #expect(outcome.firstDifference?.contains(expected) == true, "\(outcome)")
            let said = try await lenssim("replay", other)
            #expect(said.status == 1 && said.output.contains("it differs"))
            #expect(said.output.contains(/recorded +29\n +replayed +\d+\n/), "\(said.output)")
        }

        let rows = try await lenssim("inspect", "a.lenssession", "--limit", "0")
        let start = ContinuousClock.now
        let shown = try await lenssim("replay", "a.lenssession", "--speed", "3x")
        #expect(ContinuousClock.now - start >= .seconds(1), "what took three seconds takes a third")
        let lines = shown.output.split(separator: "\n")
        #expect(shown.status == 0 && lines.count > 100)
        #expect(rows.output.split(separator: "\n").suffix(lines.count - 1) == lines.dropLast())
        #expect(lines.last?.contains("outputs and inputs the same") == true)
    }

    @Test func `rows are shown up to the first difference, and the outcome stands behind them`() async throws
    {
        try await record()
        let states = try states(of: "a.lenssession")
        let middle = states[states.count / 2]
        try await change(middle, in: "a.lenssession")
        let run = try await lenssim("replay", "a.lenssession", "--speed", "1000x")
        #expect(run.status == 1)
        #expect(run.output.contains("\ns\(middle.id) "))
        #expect(!run.output.contains("\ns\(states[states.count - 1].id) "))
        let outcome = try #require(run.output.firstRange(of: "it differs"))
        #expect(try #require(run.output.firstRange(of: "\ns\(middle.id) ")).upperBound < outcome.lowerBound)

        let early = try await lenssim("replay", "a.lenssession", "--speed", "1000x", "--until", "0.5s")
        #expect(early.status == 65 && early.output.contains("the same"), "\(early.output)")
        #expect(!early.output.contains("\ns\(middle.id) "))
        #expect(try await lenssim("replay", "a.lenssession", "--speed", "max").output.hasPrefix("✘ replayed"))
    }

    @Test(arguments: ["0x", "-1", "nan", "1e9x", "fast", "xx"])
    func `what is no speed is wrong usage, and so are rows where JSON or the page was wanted`(_ speed: String)
        async throws
    {
        let run = try await lenssim("replay", "a.lenssession", "--speed=\(speed)")
        #expect(run.status == 64 && run.errors.contains("--speed"))
        for other in ["--json", "--open"] {
            let both = try await lenssim("replay", "a.lenssession", "--speed", "4x", other)
            #expect(both.status == 64 && both.errors.contains(other))
        }
    }
}
