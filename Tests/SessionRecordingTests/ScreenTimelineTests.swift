import GRDB
import SessionRecording
import Simulation
import TestSupport
import Testing

/// A recording of many events, several at each time, on a few screens.
@Suite("Screens of a long recording by time")
struct ScreenTimelineTests {
    private let folder: TemporaryFolder
    private let all: [RecordedScreen]
    private let timeline: ScreenTimeline

    private static let count = 7_000

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.file("long")
        let manifest = SessionManifest(
            scenario: "long",
            fidelity: .loopback,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "0.1.0"
        )
        try SessionWriter(path: path, manifest: manifest)
            .finish(SessionOutcome(steps: 1, nanoseconds: 9_000_000, hash: 0, failure: nil))
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE event (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM event WHERE id < \(Self.count))
                    INSERT INTO screen SELECT id, id / 3 * 3000,
                        CASE WHEN id > 4000 AND id % 7 = 0 THEN 'late' WHEN id % 1999 = 0 THEN 'rare'
                            ELSE 'often' || (id % 3) END,
                        CASE WHEN id % 11 = 5 THEN 'action' ELSE 'state' END, '{"id":' || id || '}' FROM event
                    """
            )
        }
        try queue.close()
        let session = try SessionReader(path: path)
        all = try session.screens()
        timeline = try ScreenTimeline(session)
    }

    private func states(at event: Int) -> [String: Int] {
        var states: [String: Int] = [:]
        for (index, screen) in all.enumerated().reversed() where screen.kind == .state {
            states[screen.screen] = index + 1
        }
        for (index, screen) in all.prefix(event).enumerated() where screen.kind == .state {
            states[screen.screen] = index + 1
        }
        return states
    }

    @Test func `at any event it finds the newest state of each screen, and the first one before that`() throws
    {
        #expect(timeline.count == Self.count && timeline.nanoseconds == 9_000_000)
        var random = SeededGenerator(seed: 1)
        let events =
            [1, 2, 1023, 1024, 1025, 2048, 6999, 7000]
            + (0..<60).map { _ in Int.random(in: 1...Self.count, using: &random) }
        for event in events {
            let moment = try timeline.moment(event)
            #expect(moment.event == event && moment.nanoseconds == all[event - 1].nanoseconds)
            #expect(moment.states == states(at: event), "event \(event)")
            #expect(moment.actions == all.prefix(event).count { $0.kind == .action })
            for found in moment.states.values { #expect(try timeline.state(found) == all[found - 1]) }
        }
        #expect(try timeline.moment(.min).event == 1 && timeline.moment(.max).event == Self.count)
    }

    @Test func `at any time it finds the newest event that is not later`() throws {
        var random = SeededGenerator(seed: 2)
        let times =
            [0, 2999, 3000, 7_000_000, .max]
            + (0..<200).map { _ in Int64.random(in: 0...7_100_000, using: &random) }
        for time in times {
            let expected = (all.lastIndex { $0.nanoseconds <= time } ?? 0) + 1
            #expect(try timeline.event(at: time) == expected, "\(time)")
        }
        #expect(try timeline.event(at: -1) == 1)
        #expect(try timeline.time(of: 1) == 0 && timeline.time(of: Self.count + 1) == nil)
    }

    @Test func `actions are found by their numbers, and marked where they are`() throws {
        let actions = all.enumerated().filter { $0.element.kind == .action }
        #expect(timeline.actionCount == actions.count)
        for first in [0, 1, 92, 93, 94, 300, actions.count - 2, actions.count] {
            let found = try timeline.actions(first..<first + 50)
            #expect(found.map(\.event) == actions.dropFirst(first).prefix(50).map { $0.offset + 1 })
            #expect(found.map(\.recorded) == actions.dropFirst(first).prefix(50).map(\.element))
        }
        let marks = Set(actions.map { Int($0.element.nanoseconds / 9000) })
        #expect(timeline.marks == marks.sorted())
    }

    @Test func `what is no state is not given as one`() throws {
        let action = try #require(all.firstIndex { $0.kind == .action }) + 1
        for event in [action, 0, Self.count + 1] {
            #expect(throws: SessionError.self) { try timeline.state(event) }
        }
    }
}
