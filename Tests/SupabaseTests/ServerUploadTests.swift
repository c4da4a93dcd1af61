import Foundation
import HTTPTypes
import SupabaseServer
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: uploads")
struct ServerUploadTests {
    private func form(_ parts: [String], boundary: String = "xYz") -> (
        headers: [String: String], body: [UInt8]
    ) {
        let body = parts.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n"
        return (["content-type": "multipart/form-data; boundary=\(boundary)"], Array(body.utf8))
    }

    @Test("LENS-178 the stored bytes are the sent bytes, with identity, type and MD5")
    func stores() async throws {
        let wire = try Wire()
        let reply = await wire.put("hello", at: "a%20b/c+d.txt")
        #expect(reply.status == 200)
        #expect(reply["Key"] == "media/a b/c+d.txt")
        #expect(UUID(uuidString: reply["Id"] ?? "") != nil)
        let object = try #require(wire.server.objects(in: "media").first)
        #expect(object.bytes == Array("hello".utf8))
        // RFC 1321: the MD5 of "hello".
        #expect(object.entityTag == "5d41402abc4b2a76b9719d911017c592")
        #expect(wire.server.events.map(\.kind) == [.created])
        #expect(wire.server.events.first?.request == 1)
    }

    @Test(
        "a form's file is the part with a file name, whatever it is called and wherever it stands",
        arguments: ["file", ""],
        [[1000], [1], [2, 3, 5]]
    )
    func forms(_ name: String, _ sizes: [Int]) async throws {
        let wire = try Wire()
        let file =
            "Content-Disposition: form-data; name=\"\(name)\"; filename=\"a.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\nfile\r\n--xYbytes\r\n"
        let age = "Content-Disposition: form-data; name=\"cacheControl\"\r\n\r\n60"
        let metadata = "content-disposition:form-data;name=metadata\r\n\r\n{\"a\":1}"
        for (index, parts) in [[age, metadata, file], [file, age, metadata], [age, file, metadata]]
            .enumerated()
        {
            let form = form(parts)
            let reply = await wire.send(
                .post,
                "/object/media/\(index)",
                headers: form.headers,
                body: pieces(form.body, of: sizes)
            )
            #expect(reply.status == 200, "\(reply.text)")
        }
        let objects = wire.server.objects(in: "media")
        #expect(objects.count == 3)
        for object in objects {
            #expect(String(decoding: object.bytes, as: UTF8.self) == "file\r\n--xYbytes\r\n")
            #expect(object.contentType == "image/jpeg")
            #expect(object.cacheControl == "max-age=60")
            #expect(object.metadata == "{\"a\":1}")
        }
    }

    @Test("LENS-181 a taken key is refused inside a 400, and the object stays")
    func duplicate() async throws {
        let wire = try Wire()
        await wire.put("first", at: "a")
        let reply = await wire.put("second", at: "a")
        #expect(reply.refusal == ["400", "409", "Duplicate"])
        #expect(reply["message"] == "The resource already exists")
        #expect(wire.server.objects(in: "media").map(\.bytes) == [Array("first".utf8)])
        #expect(wire.server.events.map(\.kind) == [.created, .refusedDuplicate])
    }

    @Test func `a taken key is refused before the body is read`() async throws {
        let wire = try Wire { $0.sizeLimit = 10 }
        await wire.put("first", at: "a")
        let endless = pieces([UInt8](repeating: 1, count: 100), of: [30])
        let taken = await wire.send(
            .post,
            "/object/media/a",
            headers: ["content-type": "text/plain"],
            body: endless
        )
        #expect(taken.refusal == ["400", "409", "Duplicate"])
    }

    @Test func `a type that comes after the file is judged too`() async throws {
        let wire = try Wire { project in
            var bucket = SupabaseProject.Bucket("pictures")
            bucket.mimeTypes = ["image/*"]
            project.buckets.append(bucket)
        }
        let file =
            "Content-Disposition: form-data; name=\"\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nfile"
        for (type, status) in [("image/png", 200), ("text/html", 400)] {
            let form = form([file, "Content-Disposition: form-data; name=\"contentType\"\r\n\r\n\(type)"])
            let reply = await wire.send(
                .post,
                "/object/pictures/\(type)",
                headers: form.headers,
                body: .bytes(form.body)
            )
            #expect(reply.status == status, "\(reply.text)")
        }
        #expect(wire.server.objects(in: "pictures").map(\.contentType) == ["image/png"])
    }

    @Test("an upsert keeps the identity and changes the bytes")
    func upsert() async throws {
        let wire = try Wire()
        let first = await wire.put("first", at: "a")
        let second = await wire.send(
            .post,
            "/object/media/a",
            headers: ["x-upsert": "true"],
            body: .text("2")
        )
        let third = await wire.send(.put, "/object/media/a", body: .text("3"))
        #expect(first["Id"] == second["Id"])
        #expect(second["Id"] == third["Id"])
        #expect(wire.server.objects(in: "media").map(\.bytes) == [[51]])
        #expect(wire.server.events.map(\.kind) == [.created, .replaced, .replaced])
    }

    @Test("policies bind insert and upsert, and never the service")
    func policies() async throws {
        let wire = try Wire()
        let anonymous = wire.project.anonymousKey
        let plain = await wire.send(.post, "/object/media/a", key: anonymous, body: .text("1"))
        #expect(plain.status == 200)
        let upsert = await wire.send(
            .post,
            "/object/media/b",
            key: anonymous,
            headers: ["x-upsert": "true"],
            body: .text("1")
        )
        #expect(upsert.refusal == ["400", "403", "Unauthorized"])
        #expect(upsert["message"] == "new row violates row-level security policy")
        let other = await wire.send(.post, "/object/vault/a", key: anonymous, body: .text("1"))
        #expect(other.refusal == ["400", "403", "Unauthorized"])
        #expect(await wire.put("1", at: "a", bucket: "vault").status == 200)
    }

    @Test("checks come in the service's order: token, bucket, type, length, key, policy, duplicate")
    func orderOfChecks() async throws {
        let wire = try Wire {
            $0.buckets[1].sizeLimit = 3
            $0.buckets[1].mimeTypes = ["image/*"]
        }
        let anonymous = wire.project.anonymousKey
        func put(_ path: String, key: String?, _ type: String, _ text: String) async -> [String] {
            let headers = ["content-type": type]
            return await wire.send(.post, path, key: key, headers: headers, body: .text(text)).refusal
        }
        #expect(await put("/object/none/~", key: nil, "text/plain", "1234") == ["400", "400", "Error"])
        #expect(
            await put("/object/none/~", key: "x.y.z", "text/plain", "1234") == ["400", "403", "Unauthorized"]
        )
        #expect(
            await put("/object/none/~", key: anonymous, "a", "1234") == ["400", "404", "Bucket not found"]
        )
        #expect(
            await put("/object/vault/~", key: anonymous, "a", "1234") == ["400", "415", "invalid_mime_type"]
        )
        #expect(
            await put("/object/vault/~", key: anonymous, "text/plain", "1234") == [
                "400", "415", "invalid_mime_type",
            ]
        )
        #expect(
            await put("/object/vault/~", key: anonymous, "image/png", "1234") == [
                "400", "413", "Payload too large",
            ]
        )
        #expect(
            await put("/object/vault/~", key: anonymous, "image/png", "123") == ["400", "400", "InvalidKey"]
        )
        #expect(
            await put("/object/vault/a", key: anonymous, "image/png", "123") == [
                "400", "403", "Unauthorized",
            ]
        )
        #expect(
            await put("/object/vault/a", key: wire.project.serviceKey, "image/png", "123") == ["200", "", ""]
        )
        #expect(wire.server.events.count == 1)
    }

    @Test("a body that outgrows the limit, or breaks off, leaves nothing", arguments: [true, false])
    func leavesNothing(_ isForm: Bool) async throws {
        let wire = try Wire { $0.sizeLimit = 100 }
        let content = String(repeating: "x", count: 101)
        let form = form(["Content-Disposition: form-data; name=\"\"; filename=\"a\"\r\n\r\n\(content)"])
        let headers = isForm ? form.headers : [:]
        let bytes = isForm ? form.body : Array(content.utf8)
        let tooLong = await wire.send(
            .post,
            "/object/media/a",
            headers: headers,
            body: pieces(bytes, of: [7])
        )
        #expect(tooLong.refusal == ["400", "413", "Payload too large"])
        let source = pieces(Array(bytes.prefix(60)), of: [7])
        guard case .stream(let stream, _) = source else { return }
        let broken = ByteStream { () async throws(TransportError) in
            var chunks = stream.makeAsyncIterator()
            if let chunk = try await chunks.next() { return chunk }
            throw TransportError(.reset, operation: "read body", peer: "client")
        }
        let reply = await wire.send(
            .post,
            "/object/media/a",
            headers: headers,
            body: .stream(broken, length: nil)
        )
        #expect(reply.refusal == ["400", "400", "InvalidRequest"])
        #expect(wire.server.objects(in: "media").isEmpty)
        #expect(wire.server.events.isEmpty)
    }

    @Test(
        "keys of the service's alphabet are taken, all others and dot segments refused",
        arguments: [
            ("a!.*'()%20&$@=;:+,%3F-_", true), ("a%2Fb", true), ("..a", true), ("a/b/", true),
            ("%C3%A4", false), ("a%25", false), ("a%23b", false), ("%5Ba%5D", false), ("a~b", false),
            ("a%5Cb", false), ("..", false), ("a/../b", false), ("%2e%2e", false), ("a%2F..%2Fb", false),
            ("a%00", false), ("", false),
        ]
    )
    func keys(_ path: String, _ isValid: Bool) async throws {
        let reply = await (try Wire()).put("x", at: path)
        #expect(
            reply.refusal == (isValid ? ["200", "", ""] : ["400", "400", "InvalidKey"]),
            "\(reply.text)"
        )
    }

    @Test("broken escapes and unknown routes are refused by the framework")
    func brokenRequests() async throws {
        let wire = try Wire()
        #expect(await wire.send(.post, "/object/media/%ZZ").status == 400)
        #expect(await wire.send(.post, "/object/media/%F").status == 400)
        #expect(await wire.send(.post, "/object/media/%FF").status == 400)
        #expect(await wire.send(.get, "/nothing").status == 404)
        #expect(await wire.send(.patch, "/object/media/a").status == 404)
    }

    @Test("tokens must be signed by the project, in time, with the one algorithm")
    func tokens() async throws {
        let wire = try Wire()
        let now = Date()
        func status(_ key: String) async -> [String] {
            let reply = await wire.send(.post, "/object/media/\(UUID())", key: key, body: .text("1"))
            return reply.status == 200 ? ["200"] : [reply["statusCode"] ?? "", reply["message"] ?? ""]
        }
        var other = wire.project
        other.secret = "another-secret-with-at-least-32-characters"
        #expect(await status(other.anonymousKey) == ["403", "signature verification failed"])
        let expired = wire.project.key(of: .anonymous, expiry: now)
        #expect(await status(expired) == ["403", "\"exp\" claim timestamp check failed"])
        #expect(await status(wire.project.key(of: .anonymous, expiry: now + 60)) == ["200"])
        #expect(await status("not-a-token") == ["403", "Invalid Compact JWS"])
        // {"alg":"none"} with the genuine claims and no signature.
        let claims = wire.project.serviceKey.split(separator: ".")[1]
        #expect(await status("eyJhbGciOiJub25lIn0.\(claims).") != ["200"])
        var changed = Array(wire.project.anonymousKey)
        let middle = changed.count / 2
        changed[middle] = changed[middle] == "A" ? "B" : "A"
        #expect(await status(String(changed)) != ["200"])
    }

    @Test("of uploads that race for one key, one wins and all others are duplicates")
    func race() async throws {
        let wire = try Wire()
        let gate = Gate(16)
        let statuses = await withTaskGroup(of: String?.self) { group in
            for index in 0..<16 {
                group.addTask {
                    let body = gate.body(Array("content \(index)".utf8))
                    return await wire.send(.post, "/object/media/one", body: body)["statusCode"]
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == nil }.count == 1)
        #expect(statuses.filter { $0 == "409" }.count == 15)
        #expect(wire.server.events.filter { $0.kind == .created }.count == 1)
        #expect(wire.server.events.filter { $0.kind == .refusedDuplicate }.count == 15)
    }

    @Test("thousands of damaged forms store all of a file or nothing")
    func damagedForms() async throws {
        var random = SeededGenerator(seed: 178)
        let wire = try Wire()
        let file =
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n" + "the whole file"
        let age = "Content-Disposition: form-data; name=\"cacheControl\"\r\n\r\n60"
        let intact = form([age, file])
        var stored = 0
        for index in 0..<2000 {
            var bytes = intact.body
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: [13, 10, 45, 45], at: place)
                default: bytes.removeLast(bytes.count - max(1, place))
                }
            }
            let sizes = (0..<3).map { _ in Int.random(in: 1...40, using: &random) }
            let whole = await wire.send(
                .post,
                "/object/media/w\(index)",
                headers: intact.headers,
                body: .bytes(bytes)
            )
            let parts = await wire.send(
                .post,
                "/object/media/p\(index)",
                headers: intact.headers,
                body: pieces(bytes, of: sizes)
            )
            // How bytes are cut into chunks must not matter.
            #expect(whole.status == parts.status)
            #expect(whole.status == 200 || whole["statusCode"] != nil)
            stored += whole.status == 200 ? 1 : 0
        }
        #expect(stored > 500)
        let objects = wire.server.objects(in: "media")
        #expect(objects.count == 2 * stored)
        for pair in zip(objects.filter { $0.key.hasPrefix("p") }, objects.filter { $0.key.hasPrefix("w") }) {
            #expect(pair.0.bytes == pair.1.bytes)
        }
    }

    @Test("forms without end, file or bounds are refused")
    func hostileForms() async throws {
        let wire = try Wire()
        func send(_ body: [UInt8], _ type: String = "multipart/form-data; boundary=xYz") async -> [String] {
            let headers = ["content-type": type]
            return await wire.send(.post, "/object/media/a", headers: headers, body: pieces(body, of: [997]))
                .refusal
        }
        let invalid = ["400", "400", "InvalidRequest"]
        #expect(await send([], "multipart/form-data") == invalid)
        #expect(
            await send([], "multipart/form-data; boundary=\(String(repeating: "b", count: 71))") == invalid
        )
        #expect(await send([]) == invalid)
        #expect(await send(Array(repeating: 65, count: 100_000)) == invalid)
        #expect(await send(Array("--xYz\r\n".utf8) + Array(repeating: 65, count: 100_000)) == invalid)
        let field = "Content-Disposition: form-data; name=\"same\"\r\n\r\n"
        #expect(await send(form([field]).body) == invalid)
        #expect(await send(form(Array(repeating: field, count: 11)).body) == invalid)
        let long = field + String(repeating: "x", count: 1 << 20) + "x"
        #expect(await send(form([long]).body) == ["400", "413", "Payload too large"])
        let file = "Content-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx"
        #expect(await send(form([file, file]).body) == invalid)
        #expect(wire.server.objects(in: "media").isEmpty)
    }
}
