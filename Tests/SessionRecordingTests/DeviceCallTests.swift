import GRDB
import SessionRecording
import Simulation
import Synchronization
import TestSupport
import Testing

/// A thermometer, asked for a place.
private struct Place: Codable, Hashable, Sendable, CustomStringConvertible {
    var room: String
    var description: String { "temperature in \(room)" }
}

private struct Temperature: Codable, Hashable, Sendable {
    var degrees: Int
}

extension DeviceCall where Request == Place, Reply == Temperature {
    fileprivate static var thermometer: Self { Self("thermometer", title: "the thermometer") }
}

@Suite("Calls to services of the device")
struct DeviceCallTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Records questions at once to a thermometer that gets warmer.
    private func record(_ rooms: [String]) throws -> String {
        let path = folder.file("calls")
        let writer = try SessionWriter(path: path, manifest: .sample)
        let recorder = DeviceCallRecorder(.thermometer, writer: writer, clock: SessionClock())
        for (number, room) in rooms.enumerated() {
            #expect(recorder.ask(Place(room: room)) { Temperature(degrees: number) }?.degrees == number)
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return path
    }

    private func replay(
        _ path: String,
        _ rooms: [String]
    ) throws -> (degrees: [Int?], first: Difference?) {
        let (session, comparison) = (try SessionReader(path: path), Comparison())
        let degrees = try Simulation(seed: 1).run {
            let device = try DeviceReplay(session, clock: SessionClock(), comparison: comparison)
            let thermometer = try device.calls(.thermometer)
            let degrees = rooms.map { room in
                thermometer.ask(Place(room: room)) { Temperature(degrees: -1) }?.degrees
            }
            device.finish()
            return degrees
        }
        return (degrees, comparison.firstDifference)
    }

    @Test func `calls that change their order get their own replies, and equal ones theirs in order`() throws
    {
        let path = try record(["hall", "attic", "hall", "cellar"])
        let (degrees, first) = try replay(path, ["cellar", "hall", "hall", "attic"])
        #expect(degrees == [3, 0, 2, 1] && first == nil, "\(String(describing: first))")
    }

    @Test func `another call than was recorded is a difference, and gets the reply of its place`() throws {
        let (degrees, first) = try replay(try record(["hall", "attic"]), ["hall", "garden"])
        #expect(degrees == [0, 1])
        #expect(first?.place == "call 1 of the thermometer")
        #expect(first?.recorded == "temperature in attic" && first?.replayed == "temperature in garden")
    }

    @Test func `calls that only one of the two has made are a difference`() throws {
        let path = try record(["hall", "attic"])
        #expect(try replay(path, ["attic"]).first?.recorded == "temperature in hall")
        let more = try replay(path, ["hall", "attic", "hall"])
        #expect(more.degrees == [0, 1, nil] && more.first?.recorded == "nothing more")
    }

    @Test func `a service that is not called again at all is a difference`() throws {
        let (session, comparison) = (try SessionReader(path: try record(["hall"])), Comparison())
        try DeviceReplay(session, clock: SessionClock(), comparison: comparison).finish()
        #expect(comparison.firstDifference?.place == "calls of thermometer")
    }

    @Test func `a call that is none of its service is damage`() throws {
        let path = try record(["hall"])
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: #"UPDATE event SET detail = '{"room":"hall"}'"#) }
        try queue.close()
        #expect(throws: SessionError.self) { try replay(path, ["hall"]) }
    }

    @Test func `a call with a number that no session reaches is damage`() throws {
        let path = try record(["hall"])
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "UPDATE event SET step = 9007199254740992") }
        try queue.close()
        #expect(throws: SessionError.self) { try replay(path, ["hall"]) }
    }
}
