import AWSSignature
import Crypto
import Foundation
import HTTPTypes
import PlainXML
import S3Server
import Testing
import Transport

@Suite("Simulated S3: bodies and their checksums")
struct BodyTests {
    /// What the catalogue of CRCs and the published test vectors of hashes have for "123456789".
    private static let sums = [
        "crc32": "y/Q5Jg==", "crc32c": "4waSgw==", "crc64nvme": "rosUhgp5mIg=",
        "sha1": "98O8HYCOBHMq32eZZczDTKeuNEE=", "sha256": "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
    ]
    private let body = Array("123456789".utf8)

    @Test(arguments: sums.keys.sorted())
    func `a checksum is checked in the header and behind the body, kept and given back`(_ name: String) async
    {
        let wire = Wire()
        let field = "x-amz-checksum-\(name)"
        let known = Self.sums[name] ?? ""
        #expect(await wire.send(.put, "/media/a", headers: [field: known], body: body).header(field) == known)
        let found = await wire.send(.get, "/media/a", headers: ["x-amz-checksum-mode": "ENABLED"])
        #expect(found.header(field) == known && found.header("x-amz-checksum-type") == "FULL_OBJECT")
        #expect(await wire.send(.get, "/media/a").header(field) == nil)
        let wrong = Data(repeating: 7, count: Data(base64Encoded: known)?.count ?? 0).base64EncodedString()
        #expect(
            await wire.send(.put, "/media/b", headers: [field: wrong], body: body).refusal == "400 BadDigest"
        )
        #expect(
            await wire.send(.put, "/media/b", headers: [field: "AA=="], body: body).refusal
                == "400 InvalidRequest"
        )
        for chunks in [SignedPayload.Chunks.signedWithTrailer, .unsignedWithTrailer] {
            func put(_ value: String) async -> Wire.Reply {
                await wire.send(
                    .put,
                    "/media/c",
                    body: body,
                    signing: .chunks(chunks, trailer: [(field, value)])
                )
            }
            #expect(await put(known).status == 200)
            #expect(await put(wrong).refusal == "400 BadDigest")
            #expect(await put("!").refusal == "400 MalformedTrailerError")
        }
        #expect(wire.server.objects(in: "media").map(\.key) == ["a", "c"])
    }

    @Test func `one checksum is enough, and MD5 is checked besides`() async {
        let wire = Wire()
        let both = ["x-amz-checksum-crc32": "y/Q5Jg==", "x-amz-checksum-crc32c": "4waSgw=="]
        #expect(await wire.send(.put, "/media/a", headers: both, body: body).refusal == "400 InvalidRequest")
        let digest = Data(Insecure.MD5.hash(data: body)).base64EncodedString()
        #expect(await wire.send(.put, "/media/a", headers: ["content-md5": digest], body: body).status == 200)
        #expect(
            await wire.send(.put, "/media/a", headers: ["content-md5": digest], body: [1]).refusal
                == "400 BadDigest"
        )
        #expect(
            await wire.send(.put, "/media/a", headers: ["content-md5": "x"], body: body).refusal
                == "400 InvalidDigest"
        )
        #expect(
            await wire.send(.put, "/media/a", headers: ["x-amz-trailer": "x-amz-checksum-crc32"]).refusal
                == "400 InvalidRequest"
        )
    }

    @Test func `a trailer that was announced comes, and no other`() async {
        let wire = Wire()
        let sum = [(name: "x-amz-checksum-crc32", value: "y/Q5Jg==")]
        var (request, sent) = wire.signed(
            .put,
            "/media/a",
            body: body,
            signing: .chunks(.unsignedWithTrailer, trailer: sum)
        )
        let text = String(decoding: sent, as: UTF8.self)
        for broken in [
            text.replacing("x-amz-checksum-crc32:y/Q5Jg==\r\n", with: ""),
            text.replacing("x-amz-checksum-crc32:", with: "x-amz-checksum-crc32c:"),
            text.replacing("crc32:", with: "crc32"),
        ] {
            #expect(await wire.send(request, .text(broken)).refusal == "400 MalformedTrailerError")
        }
        #expect(
            await wire.send(request, .text(text.replacing("9\r\n", with: "8\r\n"))).refusal
                == "400 IncompleteBody"
        )
        (request, sent) = wire.signed(.put, "/media/a", body: body, signing: .chunks(.unsignedWithTrailer))
        let added = String(decoding: sent, as: UTF8.self).replacing(
            "0\r\n",
            with: "0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n"
        )
        #expect(await wire.send(request, .text(added)).refusal == "400 MalformedTrailerError")
        #expect(wire.server.objects(in: "media").isEmpty)
    }

    private func stream(_ pieces: [[UInt8]], length: Int?, broken: Bool = false) -> HTTPBody {
        let left = Pieces(pieces, broken)
        return .stream(
            ByteStream { () async throws(TransportError) in try await left.next() },
            length: length
        )
    }

    private actor Pieces {
        private var left: [[UInt8]]
        private let broken: Bool

        init(_ pieces: [[UInt8]], _ broken: Bool) { (left, self.broken) = (pieces, broken) }

        func next() throws(TransportError) -> [UInt8]? {
            if !left.isEmpty { return left.removeFirst() }
            if broken {
                throw TransportError(.reset, operation: "read body", peer: "client", detail: "in a test")
            }
            return nil
        }
    }

    @Test func `a body has a length, and comes whole`() async {
        let wire = Wire()
        var (request, _) = wire.signed(.put, "/media/a", body: body, signing: .unsignedBody)
        #expect(await wire.send(request, stream([body], length: nil)).refusal == "411 MissingContentLength")
        #expect(await wire.send(request, stream([body], length: 10)).refusal == "400 IncompleteBody")
        #expect(await wire.send(request, stream([body], length: 8)).refusal == "400 IncompleteBody")
        #expect(
            await wire.send(request, stream([body], length: 9, broken: true)).refusal == "400 RequestTimeout"
        )
        request.headerFields[.transferEncoding] = "chunked"
        #expect(await wire.send(request, stream([body], length: nil)).refusal == "501 NotImplemented")
        #expect(wire.server.objects(in: "media").isEmpty)
        // The parts of `aws-chunked` may come without a length of their own.
        let (chunked, sent) = wire.signed(.put, "/media/a", body: body, signing: .chunks(.signed))
        #expect(await wire.send(chunked, stream(sent.map { [$0] }, length: nil)).status == 200)
        var (lengthless, _) = wire.signed(.put, "/media/a", body: body, signing: .chunks(.signed))
        if let name = HTTPField.Name("x-amz-decoded-content-length") { lengthless.headerFields[name] = "-1" }
        #expect(await wire.send(lengthless, .bytes(sent)).status == 403)
    }

    @Test func `sizes are bounded, and memory is given back`() async {
        let wire = Wire {
            $0.sizeLimit = 1000
            $0.memoryLimit = 10_000
        }
        let large = [UInt8](repeating: 1, count: 1001)
        let refused = await wire.send(.put, "/media/a", body: large)
        #expect(refused.refusal == "400 EntityTooLarge" && refused.document?["MaxSizeAllowed"] == "1000")
        var stored = 0
        while await wire.send(.put, "/media/\(stored)", body: Array(large.dropLast())).status == 200 {
            stored += 1
        }
        #expect((3...5).contains(stored))
        #expect(
            await wire.send(.put, "/media/x", body: Array(large.dropLast())).refusal
                == "507 InsufficientStorage"
        )
        for number in 0..<stored { await wire.send(.delete, "/media/\(number)") }
        var ids: [String] = []
        while case let id = await wire.begin("upload"), !id.isEmpty { ids.append(id) }
        #expect(ids.count == 9)
        for id in ids { await wire.send(.delete, "/media/upload?uploadId=\(id)") }
        for _ in 0..<20 {
            #expect(await wire.send(.put, "/media/y", body: Array(large.dropLast())).status == 200)
            await wire.send(.delete, "/media/y")
        }
    }

    @Test func `names and metadata are bounded`() async {
        let wire = Wire()
        #expect(await wire.put("x", at: String(repeating: "k", count: 1024)).status == 200)
        #expect(await wire.put("x", at: String(repeating: "k", count: 1025)).refusal == "400 KeyTooLongError")
        let long = ["x-amz-meta-a": String(repeating: "v", count: 2048)]
        #expect(await wire.put("x", at: "a", headers: long).refusal == "400 MetadataTooLarge")
        for name in [
            "x-amz-tagging", "x-amz-server-side-encryption-customer-algorithm", "x-amz-object-lock-mode",
        ] {
            #expect(await wire.put("x", at: "a", headers: [name: "x"]).refusal == "501 NotImplemented")
        }
    }
}
