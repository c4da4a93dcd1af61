import AWSSignature
import Foundation
import HTTPTypes
import PlainXML
import S3Server
import Services
import Transport

/// A simulated S3, asked in its own words.
struct Wire {
    /// How a request is signed.
    enum Signing {
        case header, nothing
        /// In the query, for so many seconds.
        case query(Int)
        case chunks(SignedPayload.Chunks, trailer: [(name: String, value: String)] = [])
        /// In the header, with no word about the body.
        case unsignedBody
    }

    let server: S3Server
    var credentials = S3Account.constantCredentials
    var host = "s3.example.com"
    /// How far the client's clock is off, in seconds.
    var skew: Int64 = 0
    var region = "us-east-1"

    /// An account with the buckets `media`, which is public, and `vault`.
    init(_ change: (inout S3Account) -> Void = { _ in }) { server = S3Server(Self.account(change)) }

    /// The same account, whose state lies in a folder.
    init(folder: String, _ change: (inout S3Account) -> Void = { _ in }) throws {
        server = try S3Server(Self.account(change), folder: folder)
    }

    private static func account(_ change: (inout S3Account) -> Void) -> S3Account {
        var account = S3Account(
            buckets: [
                S3Account.Bucket(
                    "media",
                    isPublic: true,
                    crossOrigin: [CrossOriginRule(origins: ["https://*.example.org"])]
                ),
                S3Account.Bucket("vault"),
            ],
            domain: "s3.example.com"
        )
        change(&account)
        return account
    }

    /// An answer, read to its end.
    struct Reply {
        let status: Int
        let headers: HTTPFields
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var document: PlainElement? { try? PlainElement(reading: bytes) }
        /// Status and code.
        var refusal: String { "\(status) \(document?["Code"] ?? "")" }

        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
        /// The keys of a listing, and its folders.
        var keys: [String] { document?.all("Contents").compactMap { $0["Key"] } ?? [] }
        var folders: [String] { document?.all("CommonPrefixes").compactMap { $0["Prefix"] } ?? [] }
    }

    var now: SigningTime { SigningTime(seconds: Int64(Date().timeIntervalSince1970) + skew) }

    /// A request that is signed, with its body as it travels.
    func signed(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        signing: Signing = .header
    ) -> (HTTPRequest, [UInt8]) {
        var request = HTTPRequest(method: method, scheme: "https", authority: host, path: path)
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let signer = RequestSigner(credentials, region: region)
        switch signing {
        case .nothing: return (request, body)
        case .header:
            signer.sign(&request, payload: .of(body), at: now)
            return (request, body)
        case .unsignedBody:
            signer.sign(&request, payload: .unsigned, at: now)
            return (request, body)
        case .query(let lifetime):
            request.path = signer.presign(request, lifetime: lifetime, at: now)
            return (request, body)
        case .chunks(let chunks, let trailer):
            if let name = HTTPField.Name("x-amz-decoded-content-length") {
                request.headerFields[name] = "\(body.count)"
            }
            if let first = trailer.first, let name = HTTPField.Name("x-amz-trailer") {
                request.headerFields[name] = first.name
            }
            request.headerFields[.contentEncoding] = "aws-chunked"
            guard let signed = signer.sign(&request, payload: .chunked(chunks), at: now) else {
                return (request, body)
            }
            return (
                request,
                ChunkedBody.encode(body, chunkLength: 10_000, as: chunks, signed.chunks, trailer: trailer)
            )
        }
    }

    /// Sends one request.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        signing: Signing = .header
    ) async -> Reply {
        let (request, sent) = signed(method, path, headers: headers, body: body, signing: signing)
        return await send(request, .bytes(sent))
    }

    /// Sends a request as it is.
    func send(_ request: HTTPRequest, _ body: HTTPBody) async -> Reply {
        let (head, body) = await server.respond(to: request, body: body)
        let bytes = (try? await body.collect(upTo: 1 << 26)) ?? []
        return Reply(status: head.status.code, headers: head.headerFields, bytes: bytes)
    }

    /// Stores a text.
    @discardableResult
    func put(_ text: String, at key: String, bucket: String = "media", headers: [String: String] = [:]) async
        -> Reply
    {
        let path = "/\(bucket)/\(CanonicalEncoding.encode(key, keepsSlash: true))"
        return await send(.put, path, headers: headers, body: Array(text.utf8))
    }

    /// Begins an upload in parts, and returns its identifier.
    func begin(_ key: String, headers: [String: String] = [:]) async -> String {
        await send(.post, "/media/\(key)?uploads", headers: headers).document?["UploadId"] ?? ""
    }

    /// Completes an upload with parts by number and tag.
    func complete(
        _ key: String,
        _ id: String,
        _ parts: [(Int, String)],
        headers: [String: String] = [:]
    ) async -> Reply {
        let lines = parts.map {
            PlainElement("Part", [PlainElement("PartNumber", "\($0.0)"), PlainElement("ETag", $0.1)])
        }
        let body = PlainElement("CompleteMultipartUpload", lines).document()
        return await send(.post, "/media/\(key)?uploadId=\(id)", headers: headers, body: body)
    }
}
