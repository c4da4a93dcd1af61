import Foundation
import HTTPTypes
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: policies of rows")
struct PolicyTests {
    private static let all = Set(StoragePolicy.Verb.allCases)

    /// A private bucket `vault`, in which signed-in users may do everything with those rows.
    private func wire(_ rows: StoragePolicy.Rows) throws -> Wire {
        try Wire {
            $0.policies = [
                StoragePolicy(.authenticated, may: Self.all, on: .objects(bucket: "vault"), rows: rows)
            ]
        }
    }

    private func key(_ wire: Wire, _ user: String) -> String {
        wire.project.key(of: .authenticated, subject: user)
    }

    private func put(
        _ wire: Wire,
        _ key: String,
        by user: String,
        upserts: Bool = false
    ) async -> Int? {
        let reply = await wire.send(
            .post,
            "/object/vault/\(key)",
            key: self.key(wire, user),
            headers: ["x-upsert": "\(upserts)"],
            body: .text(user)
        )
        return reply.status == 200 ? 200 : reply["statusCode"].flatMap { Int($0) }
    }

    private func names(_ wire: Wire, by user: String, _ route: String = "list") async -> [String] {
        let reply = await wire.send(
            .post,
            "/object/\(route)/vault",
            key: key(wire, user),
            json: "{\"prefix\":\"\"}"
        )
        let rows = route == "list" ? reply.rows : reply.rows("objects")
        return rows.compactMap { $0["name"] as? String }
    }

    @Test func `who owns an object sees and changes it, and nobody else`() async throws {
        let wire = try wire(.own)
        #expect(await put(wire, "a", by: "ada") == 200)
        #expect(await put(wire, "b", by: "bob") == 200)
        #expect(await put(wire, "a", by: "bob", upserts: true) == 403)
        #expect(await put(wire, "a", by: "ada", upserts: true) == 200)
        for route in ["list", "list-v2"] {
            #expect(await names(wire, by: "ada", route) == ["a"])
            #expect(await names(wire, by: "bob", route) == ["b"])
        }
        for (user, status) in [("ada", 200), ("bob", 400)] {
            let key = key(wire, user)
            #expect(await wire.send(.get, "/object/authenticated/vault/a", key: key).status == status)
            #expect(await wire.send(.get, "/object/info/vault/a", key: key).status == status)
            #expect(
                await wire.send(.post, "/object/sign/vault/a", key: key, json: "{\"expiresIn\":60}").status
                    == status
            )
        }
        let move = "{\"bucketId\":\"vault\",\"sourceKey\":\"a\",\"destinationKey\":\"c\"}"
        #expect(await wire.send(.post, "/object/move", key: key(wire, "bob"), json: move).refusal[1] == "404")
        let both = "{\"prefixes\":[\"a\",\"b\"]}"
        let removed = await wire.send(.delete, "/object/vault", key: key(wire, "bob"), json: both)
        #expect(removed.rows.compactMap { $0["name"] as? String } == ["b"])
        #expect(await wire.send(.delete, "/object/vault/a", key: key(wire, "bob")).status == 400)
        #expect(await wire.send(.delete, "/object/vault/a", key: key(wire, "ada")).status == 200)
    }

    @Test func `what a key without a user has stored is nobody's`() async throws {
        let wire = try wire(.own)
        #expect(await wire.put("x", at: "a", bucket: "vault").status == 200)
        #expect(await names(wire, by: "ada").isEmpty)
        let nobody = wire.project.key(of: .authenticated)
        let reply = await wire.send(.post, "/object/list/vault", key: nobody, json: "{\"prefix\":\"\"}")
        #expect(reply.rows.isEmpty)
    }

    @Test func `a user has a folder, and nothing beside it`() async throws {
        let wire = try wire(.folder)
        #expect(await put(wire, "ada/one", by: "ada") == 200)
        for strange in ["ada", "bob/one", "ada2/one", "x/ada/one"] {
            #expect(await put(wire, strange, by: "ada") == 403)
        }
        #expect(await put(wire, "bob/one", by: "bob") == 200)
        #expect(await names(wire, by: "ada") == ["ada"])
        #expect(await names(wire, by: "ada", "list-v2") == ["ada/one"])
        let move = "{\"bucketId\":\"vault\",\"sourceKey\":\"ada/one\",\"destinationKey\":\"bob/two\"}"
        let moved = await wire.send(.post, "/object/move", key: key(wire, "ada"), json: move)
        #expect(moved.refusal == ["400", "403", "Unauthorized"])
        let copied = await wire.send(.post, "/object/copy", key: key(wire, "ada"), json: move)
        #expect(copied.refusal == ["400", "403", "Unauthorized"])
    }

    @Test func `uploads in parts ask for the same rows, at each part`() async throws {
        let wire = try wire(.folder)
        let (ada, bob) = (key(wire, "ada"), key(wire, "bob"))
        #expect(await wire.begin("bob/a", length: 2, bucket: "vault", with: ada).status == 403)
        let begun = await wire.begin("ada/a", length: 2, bucket: "vault", with: ada)
        #expect(begun.status == 201)
        #expect(await wire.patch(begun.address, at: 0, .bytes([1]), with: bob).status == 403)
        #expect(await wire.patch(begun.address, at: 0, .bytes([1, 2]), with: ada).status == 204)
        #expect(wire.server.objects(in: "vault").map(\.owner) == ["ada"])
    }

    @Test func `pages of a listing are full, whatever lies between their rows`() async throws {
        let wire = try wire(.own)
        for number in 0..<10 {
            #expect(await put(wire, "\(number)", by: number.isMultiple(of: 2) ? "ada" : "bob") == 200)
        }
        let page = await wire.send(
            .post,
            "/object/list-v2/vault",
            key: key(wire, "ada"),
            json: "{\"prefix\":\"\",\"limit\":3}"
        )
        #expect(page.rows("objects").compactMap { $0["name"] as? String } == ["0", "2", "4"])
    }
}
