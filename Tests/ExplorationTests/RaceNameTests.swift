import Exploration
import Simulation
import Testing

private struct Broken: Error, NamedFailure { let failureName = "broken" }

private actor Shop {
    let price = 100
    func ask() -> Int { price }
}

/// Makes its value once, unless two ask at the same time.
private actor Once {
    private let shop: Shop
    private var value: Int?
    private(set) var made = 0

    init(_ shop: Shop) { self.shop = shop }

    func get() async {
        if value != nil { return }
        made += 1
        value = await shop.ask()
    }
}

private let twoOfAKind = Program(name: "two-of-a-kind", summary: "") {
    let shop = Shop()
    let (one, other) = (Once(shop), Once(shop))
    await one.get()  // one
    await withTaskGroup { group in
        for _ in 0..<2 {
            group.addTask { await other.get() }  // others
        }
    }
    if await other.made != 1 { throw Broken() }
}

/// Blocks that begin and end.
private func blocks() async throws {
    while true {  // loop
        do {
            try Task.checkCancellation()  // statement
        } catch {  // caught
            await Task.yield()
        }  // end
    }
}

private actor Log {
    private var lines = 0
    func note() { lines += 1 }
}

private actor Meter {
    private var count = 0
    func add() { count += 1 }
}

/// An answer may come before somebody waits for it. That both sides write into a log, and in which order, only shifts that.
private actor Session {
    private var responders: [Int: CheckedContinuation<Void, Never>] = [:]
    private let log = Log()
    private let meter = Meter()
    private var monitored = 0

    func send(_ id: Int, _ wire: AsyncStream<Int>.Continuation) async {
        wire.yield(id)
        await log.note()  // sent
        await withCheckedContinuation { responders[id] = $0 }
    }

    func monitor(_ wire: AsyncStream<Int>) async {
        for await id in wire {
            await log.note()
            responders.removeValue(forKey: id)?.resume()
            for _ in 0..<3 {
                await meter.add()
                monitored += 1
            }
        }
    }
}

private let session = Program(name: "session", summary: "") {
    let session = Session()
    let (stream, wire) = AsyncStream.makeStream(of: Int.self)
    let monitor = Task { await session.monitor(stream) }
    await withTaskGroup { group in
        group.addTask { await session.send(1, wire) }
    }
    wire.finish()
    await monitor.value
}

@Suite("Names in races")
struct RaceNameTests {
    private func lines(_ mark: String) -> [Int] {
        SourceLines.excerpt(around: 1, of: #filePath, lines: 1_000).enumerated()
            .filter { $0.element.hasSuffix("// \(mark)") }.map { $0.offset + 1 }
    }

    private func race(of program: Program) throws -> (race: Race, trace: Trace) {
        let seeds = (1...500 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: .portfolio) }
        let found = try #require(seeds.first { program.run($0).failure != nil })
        let small = try Shrinker(program, limit: .seconds(300)).shrink(found).shrunk
        let trace = try #require(program.run(small, recording: .everything).trace)
        return (try #require(program.race(small, in: trace, limit: .seconds(60))), trace)
    }

    @Test func `of two actors of one type the race says which one it is`() throws {
        let race = try race(of: twoOfAKind).race
        let line = try #require(lines("others").first)
        #expect(race.actor == "Once, number 2 of 2, first called at RaceNameTests.swift:\(line)")
        #expect(
            "\(race)".contains("before another task of RaceNameTests.swift:\(line) goes on at"),
            "\(race)"
        )
    }

    @Test func `a task is named by its name or the line that made it, and by its number only without both`() {
        func record(_ id: Int, _ name: String, _ place: String) -> Trace.TaskRecord {
            Trace.TaskRecord(id: id, name: name, parent: 0, node: 0, nanoseconds: 0, place: place)
        }
        let trace = Trace(
            nodes: ["test"],
            steps: [],
            tasks: [
                record(1, "body", ""), record(2, "", "load() at A.swift:3"), record(3, "clock", "B.swift:1"),
                record(4, "", "send() at A.swift:9"), record(5, "", "send() at A.swift:9"),
                record(6, "", "f()"),
            ],
            events: []
        )
        let names = (1...7).map { trace.name(ofTask: $0) }
        #expect(
            names == [
                "the body", "the task of A.swift:3", "“clock”", "a task of A.swift:9", "a task of A.swift:9",
                "task 6",
                "task 7",
            ]
        )
        #expect(trace.name(ofTask: 5, beside: 4) == "another task of A.swift:9")
        #expect(trace.name(ofTask: 5, beside: 2) == "a task of A.swift:9")
    }

    @Test func `where a block begins or ends the statement around it is named`() throws {
        func statement(_ mark: String) throws -> Int {
            SourceLines.statement(at: try #require(lines(mark).first), of: #filePath).line
        }
        let (loop, own) = (try #require(lines("loop").first), try #require(lines("statement").first))
        #expect(try statement("statement") == own)
        #expect(try statement("loop") == loop)
        #expect(try statement("caught") == loop)
        #expect(try statement("end") == loop)
        #expect(SourceLines.statement(at: loop + 1, of: #filePath).line == loop, "a do without a condition")
        #expect(SourceLines.statement(at: 3, of: "/no/such/file") == (3, ""))
        #expect(
            SourceLines.statement(at: 100_000, of: #filePath) == (100_000, ""),
            "a file that has become shorter"
        )
    }

    @Test func `pairs of a task that waits in vain, on the actor on which it waits, come first`() {
        func step(_ task: Int, _ actor: Int) -> Trace.Step {
            Trace.Step(
                nanoseconds: 0,
                node: 0,
                task: task,
                kind: .actor,
                cause: 0,
                choice: 0,
                ready: 1,
                actor: actor
            )
        }
        let trace = Trace(
            nodes: ["test"],
            steps: [step(2, 1), step(3, 1), step(2, 2), step(2, 2), step(3, 2)],
            tasks: [],
            events: [],
            actors: ["", "Log", "Session"]
        )
        func first(_ waiting: Set<Int>) -> [[Int]] {
            StepPairs(trace, waiting: waiting).prefix(3).map { [$0.early, $0.late] }
        }
        #expect(first([]) == [[3, 4], [0, 1], [2, 4]], "near ones first, and then later ones")
        #expect(first([3]) == [[3, 4], [2, 4], [0, 1]])
        #expect(first([1, 3]) == first([3]), "the body waits for the others")
    }

    @Test func `a pair at which somebody waits in vain comes before one that only shifts the run`() throws {
        let (race, _) = try race(of: session)
        #expect(race.actor == "Session", "\(race)")
        #expect(lines("sent").contains(race.late.place.line), "\(race)")
    }
}
