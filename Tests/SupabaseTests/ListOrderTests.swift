import Foundation
import HTTPTypes
import Simulation
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: orders of listings in pages")
struct ListOrderTests {
    /// All lines of a listing, page by page.
    private func pages(_ wire: Wire, _ options: String, limit: Int) async -> [String] {
        var (names, cursor): ([String], String?) = ([], nil)
        for _ in 0..<100 {
            let place = cursor.map { ",\"cursor\":\"\($0)\"" } ?? ""
            let body = "{\"limit\":\(limit)\(options)\(place)}"
            let reply = await wire.send(.post, "/object/list-v2/media", json: body)
            let lines = reply.rows("folders") + reply.rows("objects")
            #expect(reply.status == 200 && lines.count <= limit, "\(reply.text)")
            names += lines.compactMap { $0["name"] as? String }
            cursor = reply["nextCursor"]
            if cursor == nil { return names }
        }
        return names
    }

    private func order(_ column: String, _ order: String) -> String {
        ",\"sortBy\":{\"column\":\"\(column)\",\"order\":\"\(order)\"}"
    }

    @Test(arguments: UInt64(0)..<12)
    func `pages of every order and size show each object once, as the column has it`(seed: UInt64)
        async throws
    {
        let failure = try Simulation(seed: seed).run { () async throws -> String? in
            let wire = try Wire()
            var numbers = SystemRandomNumberGenerator()
            var keys: [String] = []
            for number in 0..<Int.random(in: 1...9, using: &numbers) {
                let key = "k\(Int.random(in: 0..<90, using: &numbers))-\(number)"
                await wire.put("x", at: key)
                keys.append(key)
                // Some have the same date, to the millisecond that rows show.
                if Bool.random() { try await Task.sleep(for: .milliseconds(5)) }
            }
            let created = wire.server.objects(in: "media").map(\.key)
            guard Set(created) == Set(keys) else { return "stored \(created)" }
            // Replacing moves one date, and not the other.
            let touched = keys[Int.random(in: keys.indices, using: &numbers)]
            try await Task.sleep(for: .milliseconds(50))
            await wire.send(.put, "/object/media/\(touched)", body: .text("y"))
            for limit in 1...keys.count + 1 {
                let byName = await pages(wire, order("name", "asc"), limit: limit)
                guard byName == keys.sorted() else { return "by name: \(byName)" }
                guard await pages(wire, order("name", "desc"), limit: limit) == byName.reversed() else {
                    return "by name downwards"
                }
                for column in ["created_at", "updated_at"] {
                    let up = await pages(wire, order(column, "asc"), limit: limit)
                    let down = await pages(wire, order(column, "desc"), limit: limit)
                    guard up == down.reversed(), Set(up) == Set(keys), up.count == keys.count else {
                        return "\(column) by \(limit): \(up) and \(down)"
                    }
                    if column == "updated_at", up.last != touched { return "the newest is \(up.last ?? "")" }
                }
                // Keys were made in order, and those of one instant follow their names.
                let byAge = await pages(wire, order("created_at", "asc"), limit: limit)
                let rows = await rows(wire)
                guard byAge.map({ rows[$0] ?? "" }) == rows.values.sorted() else { return "by age: \(byAge)" }
            }
            return nil
        }
        #expect(failure == nil)
    }

    /// The dates of creation, by name.
    private func rows(_ wire: Wire) async -> [String: String] {
        let lines = await wire.send(.post, "/object/list-v2/media", json: "{}").rows("objects")
        return Dictionary(
            uniqueKeysWithValues: lines.compactMap { line in
                (line["name"] as? String).flatMap { name in (line["created_at"] as? String).map { (name, $0) }
                }
            }
        )
    }

    @Test func `folders are folded in every order, and stand where the first of their objects does`()
        async throws
    {
        let seen = try Simulation(seed: 1).run { () async throws -> [[String]] in
            let wire = try Wire()
            for key in ["b/1", "c", "a/1", "b/2", "d"] {
                await wire.put("x", at: key)
                try await Task.sleep(for: .milliseconds(5))
            }
            var seen: [[String]] = []
            for (column, way) in [("created_at", "asc"), ("created_at", "desc"), ("name", "desc")] {
                seen.append(await pages(wire, ",\"with_delimiter\":true" + order(column, way), limit: 1))
            }
            return seen
        }
        #expect(seen == [["b/", "c", "a/", "d"], ["d", "b/", "a/", "c"], ["d", "c", "b/", "a/"]])
    }

    @Test(
        arguments: [
            ("\"sortBy\":7", "body/sortBy must be object"),
            ("\"sortBy\":{}", "body/sortBy must have required property 'column'"),
            (
                "\"sortBy\":{\"column\":\"size\"}",
                "body/sortBy/column must be equal to one of the allowed values"
            ),
            (
                "\"sortBy\":{\"column\":\"name\",\"order\":\"up\"}",
                "body/sortBy/order must be equal to one of the allowed values"
            ),
            ("\"sortBy\":{\"column\":\"name\",\"order\":\"desc\"},\"cursor\":\"YQ==\"", "invalid cursor"),
            ("\"cursor\":\"%\"", "invalid cursor"),
        ]
    )
    func `orders and cursors that the service does not have are refused`(options: String, message: String)
        async throws
    {
        let reply = await (try Wire()).send(.post, "/object/list-v2/media", json: "{\(options)}")
        #expect(reply.refusal[0...1] == ["400", "400"] && reply["message"] == message)
    }
}
