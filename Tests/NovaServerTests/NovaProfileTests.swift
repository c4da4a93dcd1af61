import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: profiles in forms", .simulated(seeds: 1...3, stalls: .none))
struct NovaProfileTests {
    private static let type = "multipart/form-data; boundary=XyZ"
    private let nova = NovaServer(.seeded(users: 2, posts: 3))
    private var app: NovaClient { NovaClient(signedIn: nova) }
    private var ada: String { nova.project.users[0].id }

    private func form(_ parts: (head: String, body: [UInt8])..., end: String = "--XyZ--\r\n") -> [UInt8] {
        parts.flatMap { part in
            Array("--XyZ\r\nContent-Disposition: form-data; \(part.head)\r\n\r\n".utf8) + part.body + [
                13, 10,
            ]
        } + Array(end.utf8)
    }

    private func patch(
        _ bytes: [UInt8],
        _ type: String = NovaProfileTests.type,
        user: String? = nil,
        key: String? = nil
    ) async throws -> NovaClient.Answer {
        try await app.send(.patch, "/users/\(user ?? ada)", bytes: bytes, type: type, key: key)
    }

    @Test("name, text and picture are changed, and the answer is the whole person")
    func change() async throws {
        // What looks like a delimiter inside the picture stays.
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 13, 10, 45, 45, 88, 121, 13, 10, 45, 45, 0, 255]
        let answer = try await patch(
            form(
                ("name=\"display_name\"", Array("Ada L. 🌊".utf8)),
                ("name=\"bio\"", Array("Zeile 1\nZeile 2".utf8)),
                ("name=\"avatar\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg", picture)
            )
        )
        #expect(
            answer.status == 200 && answer["display_name"] == "Ada L. 🌊"
                && answer["bio"] == "Zeile 1\nZeile 2"
        )
        #expect(answer["id"] == .string(ada) && answer["followers_count"] != nil)
        let address = try #require(answer["avatar_url"]?.string)
        let file = try await NovaClient(nova).get(String(address.dropFirst("http://nova:8080".count)))
        #expect(file.bytes == picture && file.head[.contentType] == "image/jpeg")
        #expect(nova.account(ada)?.avatar == picture)
        #expect(try await app.get("/users/\(ada)")["display_name"] == "Ada L. 🌊")
        // Another picture has another address.
        let next = try await patch(
            form(("name=avatar; filename=x", [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]))
        )
        #expect(next["avatar_url"] != answer["avatar_url"] && next["display_name"] == "Ada L. 🌊")
        #expect(
            try await NovaClient(nova).get(String(address.dropFirst("http://nova:8080".count))).status == 404
        )
    }

    @Test("an absent part changes nothing, and an empty one clears")
    func clear() async throws {
        let before = try await app.get("/users/\(ada)")
        let same = try await patch(form(("name=\"other\"", [1])))
        #expect(
            same.status == 200 && same["bio"] == before["bio"] && same["avatar_url"] == before["avatar_url"]
        )
        let cleared = try await patch(
            form(("name=\"bio\"", []), ("name=\"display_name\"", []), ("name=\"avatar\"", []))
        )
        #expect(cleared["bio"] == .null && cleared["display_name"] == "ada" && cleared["avatar_url"] == .null)
    }

    @Test("what is no complete form changes nothing", arguments: 0..<14)
    func hostile(_ number: Int) async throws {
        let name = ("name=\"display_name\"", Array("Mallory".utf8))
        let forms: [(bytes: [UInt8], type: String, status: Int)] = [
            (form(name, end: ""), Self.type, 400), (form(), Self.type, 400), ([], Self.type, 400),
            (form(name), "multipart/form-data", 400), (form(name), "multipart/form-data; boundary=", 400),
            (form(name), "multipart/form-data; boundary=\"a \"", 400), (form(name), "application/json", 415),
            (form(name), "multipart/mixed; boundary=XyZ", 415),
            (form(name), "multipart/form-data; boundary=abc", 400),
            (form(name, name), Self.type, 400),
            (form(name, ("name=\"avatar\"", Array("GIF89a".utf8))), Self.type, 400),
            (form(name, ("name=\"bio\"", [0xFF, 0xFE])), Self.type, 400),
            (form(name, ("name=\"bio\"", [UInt8](repeating: 97, count: 501))), Self.type, 400),
            (form(name) + [UInt8](repeating: 0, count: 4 << 20), Self.type, 413),
        ]
        let answer = try await patch(forms[number].bytes, forms[number].type)
        #expect(answer.status == forms[number].status, "\(answer.json)")
        #expect(nova.account(ada)?.displayName == "Ada")
        #expect(try await patch([], "x").status == 415)
    }

    @Test("many parts, and a picture that is too large, are refused")
    func limits() async throws {
        let many = (0..<17).flatMap { number in
            Array("--XyZ\r\nContent-Disposition: form-data; name=\"f\(number)\"\r\n\r\n\r\n".utf8)
        }
        #expect(try await patch(many + Array("--XyZ--".utf8)).fields == ["body"])
        let large: [UInt8] = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: 2 << 20)
        #expect(try await patch(form(("name=\"avatar\"", large))).fields == ["avatar"])
        #expect(try await patch(form(("name=\"avatar\"", Array(large.dropLast(3))))).status == 200)
    }

    @Test("nobody changes another's profile")
    func foreign() async throws {
        let other = nova.project.users[1].id
        let answer = try await patch(form(("name=\"bio\"", [97])), user: other)
        #expect(answer.status == 403 && answer.error == "forbidden")
        #expect(try await patch(form(("name=\"bio\"", [97])), user: "nobody").status == 404)
        #expect(nova.account(other)?.bio != "a")
    }

    @Test("a form may have a key, under which its bytes stay the same")
    func key() async throws {
        let bytes = form(("name=\"bio\"", Array("one".utf8)))
        let first = try await patch(bytes, key: "k")
        #expect(try await patch(form(("name=\"bio\"", Array("two".utf8)))).status == 200)
        let again = try await patch(bytes, key: "k")
        #expect(again.bytes == first.bytes && nova.account(ada)?.bio == "two")
        #expect(try await patch(form(("name=\"bio\"", Array("three".utf8))), key: "k").status == 422)
    }
}
