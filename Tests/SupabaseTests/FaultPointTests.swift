import HTTPTypes
import PeerKit
import Simulation
import SupabaseServer
import Testing
import Transport

/// A canary for each fault point: armed, it bites; otherwise all goes well.
@Suite("Simulated Supabase: fault points")
struct FaultPointTests {
    /// What an upload, a second one of the same key and a download see.
    private func run(_ point: String?, values: [String: Double] = [:]) throws -> [String] {
        try Simulation(seed: 3).run {
            let wire = try Wire()
            if let point {
                Simulation.current?.arm(faultPoint: point, values: values, atMost: 1)
            }
            let start = ContinuousClock.now
            func words(_ reply: Wire.Reply) -> String { "\(reply.status):\(reply.bytes.count)" }
            let first = await wire.put("0123456789", at: "a")
            let second = await wire.put("0123456789", at: "a")
            let download = await wire.send(.get, "/object/public/media/a")
            return [
                first["Key"] == nil ? "\(first.status)" : "stored",
                second["Key"] == nil ? second.refusal[1] : "stored", words(download),
                "\(Int(start.duration(to: .now) / .seconds(1))) s",
            ]
        }
    }

    @Test func `nothing armed, nothing goes wrong`() throws {
        #expect(try run(nil) == ["stored", "409", "200:10", "0 s"])
    }

    @Test(
        arguments: [
            ("http.slow", ["seconds": 4], ["stored", "409", "200:10", "4 s"]),
            ("http.429", [:], ["429", "stored", "200:10", "0 s"]),
            ("http.502", [:], ["502", "stored", "200:10", "0 s"]),
            ("http.503", [:], ["503", "stored", "200:10", "0 s"]),
            ("http.portal", [:], ["200", "stored", "200:10", "0 s"]),
            ("supabase.upload.refused", [:], ["500", "stored", "200:10", "0 s"]),
            ("supabase.upload.answerLost", ["silence": 5], ["504", "409", "200:10", "5 s"]),
            ("supabase.upload.answerCut", [:], ["200", "409", "200:10", "0 s"]),
            // The bytes before the break are lost with the error.
            ("supabase.download.cut", [:], ["stored", "409", "200:0", "0 s"]),
        ] as [(String, [String: Double], [String])]
    )
    func `an armed point bites once`(_ point: String, _ values: [String: Double], _ seen: [String]) throws {
        #expect(try run(point, values: values) == seen)
    }

    /// What an upload in parts sees: the beginning, a part, the offset, the rest, and whether the object is there.
    private func runInParts(
        _ point: String?,
        values: [String: Double] = [:],
        skipping: Int
    ) throws -> [String] {
        try Simulation(seed: 3).run {
            let wire = try Wire()
            if let point {
                Simulation.current?.arm(
                    faultPoint: point,
                    values: values,
                    skipping: skipping,
                    atMost: 1
                )
            }
            let start = ContinuousClock.now
            let begun = await wire.begin("a", length: 10)
            let part = await wire.patch(begun.address, at: 0, .bytes([0, 1, 2, 3, 4, 5]))
            let head = await wire.head(begun.address)
            let offset = head.offset ?? 0
            let rest = await wire.patch(begun.address, at: offset, .bytes((offset..<10).map { UInt8($0) }))
            return [begun, part, head, rest].map { "\($0.status)" } + [
                "\(offset)",
                wire.server.objects(in: "media").first?.bytes == (0..<10).map { UInt8($0) }
                    ? "stored" : "absent",
                "\(Int(start.duration(to: .now) / .seconds(1))) s",
            ]
        }
    }

    @Test func `nothing armed, nothing goes wrong in parts`() throws {
        #expect(try runInParts(nil, skipping: 0) == ["201", "204", "200", "204", "6", "stored", "0 s"])
    }

    @Test(
        arguments: [
            (
                "supabase.resumable.refused", ["status": 503], 1,
                ["201", "503", "200", "204", "0", "stored", "0 s"]
            ),
            (
                "supabase.resumable.answerLost", ["silence": 5], 1,
                ["201", "504", "200", "204", "6", "stored", "5 s"]
            ),
            ("supabase.resumable.cut", [:], 0, ["201", "502", "200", "204", "3", "stored", "0 s"]),
            (
                "supabase.resumable.cut", ["share": 0], 1,
                ["201", "204", "200", "502", "6", "absent", "0 s"]
            ),
            ("supabase.resumable.expired", [:], 1, ["201", "204", "410", "404", "0", "absent", "0 s"]),
            ("supabase.resumable.locked", [:], 0, ["201", "500", "200", "204", "0", "stored", "0 s"]),
        ] as [(String, [String: Double], Int, [String])]
    )
    func `an armed point bites once in parts`(
        _ point: String,
        _ values: [String: Double],
        _ skipping: Int,
        _ seen: [String]
    ) throws {
        #expect(try runInParts(point, values: values, skipping: skipping) == seen)
    }

    /// What a sign-in, a second one, the user of the first, and the refresh of the first see.
    private func runSignIn(
        _ point: String?,
        values: [String: Double] = [:],
        skipping: Int
    ) throws -> [String] {
        try Simulation(seed: 3).run {
            let wire = try AuthTests.wire()
            if let point {
                Simulation.current?.arm(faultPoint: point, values: values, skipping: skipping, atMost: 1)
            }
            let start = ContinuousClock.now
            let first = await wire.signIn()
            let second = await wire.signIn()
            let user = await wire.auth(.get, "/user", token: first["access_token"])
            let next = await wire.refresh(first["refresh_token"])
            return [first, second, user, next].map { "\($0.status)" } + [
                "\(Int(start.duration(to: .now) / .seconds(1))) s"
            ]
        }
    }

    @Test func `nothing armed, nothing goes wrong at sign-in`() throws {
        #expect(try runSignIn(nil, skipping: 0) == ["200", "200", "200", "200", "0 s"])
    }

    @Test(
        arguments: [
            ("supabase.auth.refused", ["status": 503], 1, ["200", "503", "200", "200", "0 s"]),
            ("supabase.auth.answerLost", ["silence": 5], 3, ["200", "200", "200", "504", "5 s"]),
            ("supabase.auth.ended", [:], 2, ["200", "200", "403", "400", "0 s"]),
        ] as [(String, [String: Double], Int, [String])]
    )
    func `an armed point bites once at sign-in`(
        _ point: String,
        _ values: [String: Double],
        _ skipping: Int,
        _ seen: [String]
    ) throws {
        #expect(try runSignIn(point, values: values, skipping: skipping) == seen)
    }

    @Test func `every point has its canary`() throws {
        let points = try Wire().server.faults.points.map(\.name)
        #expect(
            points.sorted() == [
                "http.429", "http.502", "http.503", "http.portal", "http.slow",
                "supabase.auth.answerLost", "supabase.auth.ended", "supabase.auth.refused",
                "supabase.download.cut",
                "supabase.resumable.answerLost", "supabase.resumable.cut", "supabase.resumable.expired",
                "supabase.resumable.locked", "supabase.resumable.refused",
                "supabase.upload.answerCut", "supabase.upload.answerLost", "supabase.upload.refused",
            ]
        )
    }
}
