import Foundation
import HTTPTypes
import SupabaseServer
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: uploads in parts, by TUS 1.0")
struct ResumableProtocolTests {
    private let bytes = [UInt8]("0123456789".utf8)

    private func offered(_ wire: Wire, at path: String) async -> Wire.Reply {
        await wire.send(.options, path, key: .some(nil))
    }

    @Test func `anybody may ask what the service can do`() async throws {
        let wire = try Wire()
        let reply = await offered(wire, at: "/upload/resumable")
        #expect(reply.status == 204)
        #expect(reply.header("tus-version") == "1.0.0")
        #expect(reply.header("tus-resumable") == "1.0.0")
        #expect(reply.header("tus-max-size") == "50000000")
        let extensions = reply.header("tus-extension")?.split(separator: ",").map { String($0) } ?? []
        #expect(
            Set(extensions) == [
                "creation", "creation-with-upload", "creation-defer-length", "termination", "expiration",
            ]
        )
    }

    @Test func `parts make an object, which is seen when the last has come`() async throws {
        let wire = try Wire()
        let metadata = Wire.metadata([
            "bucketName": "media", "objectName": "films/one.mov", "contentType": "video/quicktime",
            "cacheControl": "3600", "metadata": "{\"of\":\"tests\"}",
        ])
        let begun = await wire.begin("", length: 10, headers: ["upload-metadata": metadata])
        #expect(begun.status == 201)
        #expect(begun.offset == nil)
        #expect(begun.header("tus-resumable") == "1.0.0")
        #expect(begun.header("upload-expires")?.hasSuffix(" GMT") == true)
        #expect(
            begun.header("location")?.hasPrefix("https://project.example/storage/v1/upload/resumable/")
                == true
        )
        let first = await wire.patch(begun.address, at: 0, .bytes(Array(bytes[..<4])))
        #expect(first.status == 204 && first.offset == 4)
        #expect(first.header("upload-expires") != nil && first.header("tus-complete") == nil)
        #expect(wire.server.objects(in: "media").isEmpty)

        let head = await wire.head(begun.address)
        #expect(head.status == 200 && head.offset == 4)
        #expect(head.header("upload-length") == "10")
        #expect(head.header("upload-metadata") == metadata)
        #expect(head.header("cache-control") == "no-store")

        let last = await wire.patch(begun.address, at: 4, pieces(Array(bytes[4...]), of: [1, 3]))
        #expect(last.status == 204 && last.offset == 10)
        #expect(last.header("tus-complete") == "1")
        let object = try #require(wire.server.objects(in: "media").first)
        #expect(object.bytes == bytes && object.key == "films/one.mov")
        #expect(object.contentType == "video/quicktime" && object.cacheControl == "max-age=3600")
        #expect(object.metadata == "{\"of\":\"tests\"}")
        #expect(wire.server.events.map(\.kind) == [.created])
        #expect(await wire.send(.get, "/object/public/media/films/one.mov").bytes == bytes)
        // What is known of the upload stays until it expires.
        let after = await wire.head(begun.address)
        #expect(after.status == 200 && after.offset == 10)
        #expect(wire.server.unevenChunkCount == 1)
    }

    @Test func `the first bytes may come with the beginning, and nothing at all is an object, too`()
        async throws
    {
        let wire = try Wire()
        let type = ["content-type": "application/offset+octet-stream"]
        let begun = await wire.begin("a", length: 10, headers: type, body: .bytes(Array(bytes[..<7])))
        #expect(begun.status == 201 && begun.offset == 7)
        #expect(await wire.patch(begun.address, at: 7, .bytes(Array(bytes[7...]))).offset == 10)
        let whole = await wire.begin("b", length: 10, headers: type, body: .bytes(bytes))
        #expect(whole.status == 201 && whole.offset == 10)
        #expect(await wire.begin("c", length: 0).status == 201)
        #expect(wire.server.objects(in: "media").map(\.key) == ["a", "b", "c"])
        #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes, bytes, []])
    }

    @Test func `the length may follow, once`() async throws {
        let wire = try Wire()
        let begun = await wire.begin("a", length: nil)
        #expect(begun.status == 201)
        #expect(await wire.patch(begun.address, at: 0, .bytes(Array(bytes[..<4]))).offset == 4)
        let head = await wire.head(begun.address)
        #expect(head.header("upload-defer-length") == "1" && head.header("upload-length") == nil)
        let short = await wire.patch(begun.address, at: 4, .empty, headers: ["upload-length": "3"])
        #expect(short.plain == "400 Upload-Length or Upload-Defer-Length header required")
        let large = await wire.patch(begun.address, at: 4, .empty, headers: ["upload-length": "50000001"])
        #expect(large.plain == "413 Maximum size exceeded")
        let last = await wire.patch(
            begun.address,
            at: 4,
            .bytes(Array(bytes[4..<9])),
            headers: ["upload-length": "10"]
        )
        #expect(last.offset == 9 && last.header("tus-complete") == nil)
        let again = await wire.patch(
            begun.address,
            at: 9,
            .bytes([bytes[9]]),
            headers: ["upload-length": "10"]
        )
        #expect(again.plain == "400 Upload-Length or Upload-Defer-Length header required")
        #expect(await wire.patch(begun.address, at: 9, .bytes([bytes[9]])).header("tus-complete") == "1")
        #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
    }

    @Test(
        "a beginning that is no good is refused as plain text with its true status",
        arguments: [
            (["tus-resumable": ""], "412 Tus-Resumable Required"),
            (["tus-resumable": "0.2.2"], "400 Invalid tus-resumable"),
            (["upload-length": ""], "400 Upload-Length or Upload-Defer-Length header required"),
            (["upload-length": "-1"], "400 Invalid upload-length"),
            (
                ["upload-defer-length": "1"],
                "400 Upload-Length or Upload-Defer-Length header required"
            ),
            (["upload-length": "", "upload-defer-length": "2"], "400 Invalid upload-defer-length"),
            (["upload-length": "50000001"], "413 Maximum size exceeded"),
            (["upload-metadata": ""], "400 Metadata header is required"),
            (["upload-metadata": "bucketName !"], "400 Upload-Metadata is invalid"),
            (
                ["upload-metadata": "bucketName bWVkaWE="],
                "400 bucketName and objectName metadata are required"
            ),
            (
                ["upload-metadata": Wire.metadata(["bucketName": "x", "objectName": "a"])],
                "404 Bucket not found"
            ),
            (
                ["upload-metadata": Wire.metadata(["bucketName": "media", "objectName": "../a"])],
                "400 Invalid key: ../a"
            ),
            (
                ["upload-metadata": Wire.metadata(["bucketName": "media", "objectName": "ä"])],
                "400 Invalid key: ä"
            ),
            (
                [
                    "upload-metadata": Wire.metadata([
                        "bucketName": "pictures", "objectName": "a", "contentType": "text/plain",
                    ])
                ], "415 mime type text/plain is not supported"
            ),
            (["upload-concat": "partial"], "501 Concatenation extension is not (yet) supported."),
        ] as [([String: String], String)]
    )
    func refusedBeginnings(_ headers: [String: String], _ refusal: String) async throws {
        let wire = try Wire {
            $0.buckets.append(.init("pictures", mimeTypes: ["image/*"]))
        }
        var fields = [
            "tus-resumable": "1.0.0", "upload-length": "10",
            "upload-metadata": Wire.metadata(["bucketName": "media", "objectName": "a"]),
        ]
        fields.merge(headers) { $1 }
        for (name, value) in headers where value.isEmpty { fields[name] = nil }
        let reply = await wire.send(.post, "/upload/resumable", headers: fields)
        #expect(reply.plain == refusal)
        #expect(reply.header("content-type")?.hasPrefix("text/plain") == true)
        #expect(reply.header("tus-resumable") == "1.0.0")
    }

    @Test func `a part that is no good is refused, and the upload stays as it was`() async throws {
        let wire = try Wire()
        let begun = await wire.begin("a", length: 10)
        #expect(await wire.patch(begun.address, at: 0, .bytes(Array(bytes[..<4]))).offset == 4)
        let part = HTTPBody.bytes(Array(bytes[4...]))
        for offset in [0, 3, 5, 10] {
            #expect(
                await wire.patch(begun.address, at: offset, part).plain == "409 Upload-Offset conflict"
            )
        }
        let noOffset = await wire.send(
            .patch,
            begun.address,
            headers: ["tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream"],
            body: part
        )
        #expect(noOffset.plain == "403 Upload-Offset header required")
        let noType = await wire.send(
            .patch,
            begun.address,
            headers: ["tus-resumable": "1.0.0", "upload-offset": "4"],
            body: part
        )
        #expect(noType.plain == "403 Content-Type header required")
        let otherType = await wire.patch(begun.address, at: 4, part, headers: ["content-type": "text/plain"])
        #expect(otherType.plain == "400 Invalid content-type")
        let tooLong = await wire.patch(begun.address, at: 4, .bytes(bytes))
        #expect(tooLong.plain == "413 upload's size exceeded")
        #expect(await wire.head(begun.address).offset == 4)
        // Without a declared length, what has come before the bytes that are too many stays.
        #expect(await wire.patch(begun.address, at: 4, pieces(bytes, of: [3])).status == 413)
        #expect(await wire.head(begun.address).offset == 10)
        #expect(wire.server.objects(in: "media").isEmpty)
    }

    @Test func `an address that names nothing is answered with 404, and a strange one with 400`() async throws
    {
        let wire = try Wire()
        let begun = await wire.begin("a", length: 10)
        let unknown = Data("media/a/00000000-0000-0000-0000-000000000000".utf8).base64EncodedString()
            .replacing("=", with: "")
        #expect(await wire.head("/upload/resumable/\(unknown)").status == 404)
        #expect(
            await wire.patch("/upload/resumable/\(unknown)", at: 0, .bytes(bytes)).plain
                == "404 The file for this url was not found"
        )
        for text in ["media", "media/a", "media/../a/b", "a/b/c/\u{0}", "//"] {
            let strange = Data(text.utf8).base64EncodedString().replacing("=", with: "")
            #expect([400, 404].contains(await wire.head("/upload/resumable/\(strange)").status))
        }
        #expect(await wire.head("/upload/resumable/%ff").status == 400)
        // The version alone does not open it.
        let version =
            String(
                decoding: Data(
                    base64Encoded: begun.address.split(separator: "/").last.map { padded($0) } ?? ""
                )
                    ?? Data(),
                as: UTF8.self
            ).split(separator: "/").last ?? ""
        let other = Data("media/b/\(version)".utf8).base64EncodedString().replacing("=", with: "")
        #expect(await wire.head("/upload/resumable/\(other)").status == 404)
        #expect(await wire.send(.get, begun.address).status == 404)
    }

    private func padded(_ text: Substring) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    @Test func `an upload is cancelled, but not once it is an object`() async throws {
        let wire = try Wire()
        let begun = await wire.begin("a", length: 10)
        let fields = ["tus-resumable": "1.0.0"]
        #expect(await wire.send(.delete, begun.address, headers: fields).status == 204)
        #expect(await wire.head(begun.address).status == 404)
        let whole = await wire.begin("a", length: 10)
        #expect(await wire.patch(whole.address, at: 0, .bytes(bytes)).status == 204)
        let late = await wire.send(.delete, whole.address, headers: fields)
        #expect(late.plain == "400 Cannot terminate an already completed upload")
        #expect(wire.server.objects(in: "media").count == 1)
    }

    @Test func `where a gateway stands before the service, the address is the gateway's`() async throws {
        let wire = try Wire()
        let begun = await wire.begin(
            "a",
            length: 10,
            headers: ["x-forwarded-proto": "http", "x-forwarded-host": "gate.example:8000"]
        )
        #expect(
            begun.header("location")?.hasPrefix("http://gate.example:8000/storage/v1/upload/resumable/")
                == true
        )
    }

    @Test func `thousands of random requests get an answer of the protocol, and none of a broken service`()
        async throws
    {
        var random = SeededGenerator(seed: 7)
        let wire = try Wire()
        var addresses = ["/upload/resumable", "/upload/resumable/sign", "/upload/resumable/bWVkaWEvYS94"]
        let values = [
            "", "0", "1", "7", "-1", "99999999999999999999", "50000000", "x", "1.0.0", "true", "\u{7f}",
            Wire.metadata(["bucketName": "media", "objectName": "a"]), "bucketName", ", ,", "a b c",
            "application/offset+octet-stream", wire.project.anonymousKey,
        ]
        let names = [
            "upload-length", "upload-offset", "upload-metadata", "upload-defer-length", "content-type",
            "x-upsert", "x-signature", "upload-concat", "tus-resumable",
        ]
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .head, .patch, .options]
        for _ in 0..<4000 {
            var fields = ["tus-resumable": "1.0.0"]
            if Bool.random(using: &random) {
                fields["upload-metadata"] = Wire.metadata(["bucketName": "media", "objectName": "b"])
                fields["upload-length"] = "\(Int.random(in: 0...9, using: &random))"
                fields["content-type"] = "application/offset+octet-stream"
                fields["upload-offset"] = "\(Int.random(in: 0...3, using: &random))"
                fields["x-upsert"] = "true"
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                fields[names.randomElement(using: &random) ?? ""] = values.randomElement(using: &random)
            }
            let reply = await wire.send(
                methods.randomElement(using: &random) ?? .get,
                addresses.randomElement(using: &random) ?? "",
                headers: fields,
                body: .bytes([UInt8](repeating: 1, count: Int.random(in: 0...4, using: &random)))
            )
            if reply.status == 201 { addresses.append(reply.address) }
            #expect(reply.status < 500 || reply.status == 501, "\(reply.plain) \(fields)")
        }
        #expect(addresses.count > 10)
        #expect(!wire.server.objects(in: "media").isEmpty)
    }
}
