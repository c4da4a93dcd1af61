import AWSSignature
import HTTPTypes
import Services
import Testing

/// The bodies in chunks that AWS publishes with their signatures.
///
/// Sources: API reference of S3, "Transferring Payload in Multiple Chunks (Chunked Upload)", and "… with trailing headers".
@Suite("Chunks that AWS publishes")
struct PublishedChunkTests {
    private let body = [UInt8](repeating: UInt8(ascii: "a"), count: 66_560)

    private func example(
        _ chunks: SignedPayload.Chunks,
        _ fields: [(String, String)]
    ) throws -> (signed: RequestSigner.Signed, request: HTTPRequest) {
        var request = HTTPRequest(
            method: .put,
            scheme: "https",
            authority: "s3.amazonaws.com",
            path: "/examplebucket/chunkObject.txt"
        )
        for (name, value) in fields { request.headerFields[try #require(HTTPField.Name(name))] = value }
        let signer = RequestSigner(
            AWSCredentials(
                accessKey: "AKIAIOSFODNN7EXAMPLE",
                secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
            ),
            region: "us-east-1"
        )
        let time = try #require(SigningTime("20130524T000000Z"))
        return (try #require(signer.sign(&request, payload: .chunked(chunks), at: time)), request)
    }

    private func signed() throws -> RequestSigner.Signed {
        try example(
            .signed,
            [
                ("content-encoding", "aws-chunked"), ("content-length", "66824"),
                ("x-amz-decoded-content-length", "66560"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ]
        ).signed
    }

    private func trailing() throws -> RequestSigner.Signed {
        try example(
            .signedWithTrailer,
            [
                ("content-encoding", "aws-chunked"), ("x-amz-decoded-content-length", "66560"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"), ("x-amz-trailer", "x-amz-checksum-crc32c"),
            ]
        ).signed
    }

    private func signatures(in bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).matches(of: /signature[=:]([0-9a-f]{64})/).map { String($0.1) }
    }

    @Test func `a body in signed chunks is the one of the reference`() throws {
        let signed = try signed()
        #expect(
            signed.authorization.hasSuffix("4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9")
        )
        let encoded = ChunkedBody.encode(body, as: .signed, signed.chunks)
        #expect(encoded.count == 66_824)
        #expect(
            signatures(in: encoded) == [
                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
            ]
        )
    }

    @Test func `a signed trailer is the one of the reference`() throws {
        let signed = try trailing()
        #expect(
            signed.authorization.hasSuffix("106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e")
        )
        let encoded = ChunkedBody.encode(
            body,
            as: .signedWithTrailer,
            signed.chunks,
            trailer: [("x-amz-checksum-crc32c", "sOO8/Q==")]
        )
        #expect(
            signatures(in: encoded) == [
                "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
                "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
                "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
                "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435",
            ]
        )
    }

    @Test(arguments: [1, 7, 4096, 1 << 20])
    func `what was put into chunks comes out of them, in pieces of any size`(_ size: Int) throws {
        let trailer = [(name: "x-amz-checksum-crc32c", value: "sOO8/Q==")]
        let bodies: [(SignedPayload.Chunks, ChunkSignatures)] = [
            (.signed, try signed().chunks), (.signedWithTrailer, try trailing().chunks),
            (.unsignedWithTrailer, try trailing().chunks),
        ]
        for (chunks, signatures) in bodies {
            let encoded = ChunkedBody.encode(body, as: chunks, signatures, trailer: trailer)
            var reader = ChunkedBodyReader(chunks, signatures)
            #expect(try read(encoded, &reader, size) == body)
            #expect(reader.trailer.map(\.value) == (chunks.haveTrailer ? ["sOO8/Q=="] : []))
        }
    }

    private func read(
        _ bytes: [UInt8],
        _ reader: inout ChunkedBodyReader,
        _ size: Int = 1000
    ) throws(ChunkedBodyReader.Failure) -> [UInt8] {
        var content: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            content += try reader.feed(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        try reader.finish()
        return content
    }

    @Test func `a byte that was changed anywhere is noticed`() throws {
        let signed = try trailing()
        let encoded = ChunkedBody.encode(
            body,
            as: .signedWithTrailer,
            signed.chunks,
            trailer: [("x-amz-checksum-crc32c", "sOO8/Q==")]
        )
        for offset in stride(from: 0, to: encoded.count, by: 97) {
            var changed = encoded
            changed[offset] ^= 1
            var reader = ChunkedBodyReader(.signedWithTrailer, signed.chunks)
            #expect(throws: ChunkedBodyReader.Failure.self, "at \(offset)") { try read(changed, &reader) }
        }
        for length in [0, 50, 40_000, encoded.count - 3] {
            var reader = ChunkedBodyReader(.signedWithTrailer, signed.chunks)
            #expect(throws: ChunkedBodyReader.Failure.self, "\(length) bytes") {
                try read(Array(encoded[..<length]), &reader)
            }
        }
    }

    @Test func `short chunks, long lines and lengths that are none are refused`() throws {
        let signed = try signed()
        func refusal(_ chunks: SignedPayload.Chunks, _ bytes: [UInt8]) -> ChunkedBodyReader.Failure? {
            var reader = ChunkedBodyReader(chunks, signed.chunks)
            do {
                _ = try read(bytes, &reader)
                return nil
            } catch { return error }
        }
        let short = ChunkedBody.encode(Array(body[..<9000]), chunkLength: 4096, as: .signed, signed.chunks)
        #expect(refusal(.signed, short) == .shortChunk)
        for text in ["x\r\n", "\r\n", "-1\r\n", "123456789\r\n", "5\nabcde", "5\r\nabcdefg\r\n"] {
            #expect(refusal(.unsignedWithTrailer, Array(text.utf8)) == .malformed, "\(text)")
        }
        #expect(refusal(.unsignedWithTrailer, [UInt8](repeating: 0x30, count: 2000)) == .malformed)
        #expect(refusal(.unsignedWithTrailer, Array("0\r\nno colon\r\n\r\n".utf8)) == .malformedTrailer)
        #expect(refusal(.unsignedWithTrailer, Array("3\r\nab".utf8)) == .ended)
        #expect(refusal(.signed, Array("3\r\nabc\r\n0\r\n\r\n".utf8)) == .signature)
        let endless =
            "0\r\n" + String(repeating: "a:" + String(repeating: "b", count: 900) + "\r\n", count: 40)
        #expect(refusal(.unsignedWithTrailer, Array(endless.utf8)) == .malformedTrailer)
    }
}
