import Foundation
import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

/// The service of Nova as `lenssim serve nova` has it.
@Suite("Serving Nova", .timeLimit(.minutes(10)))
struct ServedNovaTests {
    private struct Session: Decodable { var access_token: String }
    private struct Address: Decodable {
        var upload_url: String
        var file_key: String
    }
    private struct Page: Decodable {
        struct Post: Decodable { var id: String }
        var posts: [Post]
        var has_more: Bool
    }
    private struct Identity: Decodable { var identity_token: String }

    @Test("the one line of JSON has what an app signs in with, and where storage and issuer are")
    func facts() async throws {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            ["serve", "nova", "--json", "--posts", "3", "--users", "2"],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(started.output().utf8))
        let client = try LiveTransport()
        func call(
            _ method: HTTPRequest.Method,
            _ url: String,
            _ body: [String: String] = [:],
            bytes: [UInt8]? = nil,
            type: String = "application/json",
            token: String? = nil
        ) async throws -> (status: Int, body: Data) {
            var request = HTTPRequest(method: method, url: try #require(URL(string: url)))
            if let token { request.headerFields[.authorization] = "Bearer \(token)" }
            let json = try body.isEmpty ? nil : [UInt8](JSONEncoder().encode(body))
            let sent = bytes ?? json
            if sent != nil { request.headerFields[.contentType] = type }
            let answer = try await client.send(
                request,
                body: sent.map { .bytes($0) } ?? .empty,
                timeout: .seconds(30)
            )
            return (answer.head.status.code, Data(try await answer.body.collect(upTo: 1 << 20)))
        }
        func read<Value: Decodable>(_ data: Data) throws -> Value {
            try JSONDecoder().decode(Value.self, from: data)
        }
        let url = try #require(facts["url"])
        let credentials = ["email": facts["email"] ?? "", "password": facts["password"] ?? ""]
        // Nobody guesses the password of a run.
        #expect(facts["password"]?.count == 64)
        let session: Session = try read(await call(.post, "\(url)/auth/signin", credentials).body)
        let feed: Page = try read(await call(.get, "\(url)/feed", token: session.access_token).body)
        #expect(feed.posts.count == 3 && !feed.has_more)
        let address: Address = try read(
            await call(
                .post,
                "\(url)/upload/presign",
                ["filename": "photo.jpg", "content_type": "image/jpeg"],
                token: session.access_token
            )
            .body
        )
        #expect(address.upload_url.hasPrefix("\(facts["s3"] ?? "no")/nova/uploads/"))
        let put = try await call(.put, address.upload_url, bytes: [0xFF, 0xD8], type: "image/jpeg")
        #expect(put.status == 200)
        let identity: Identity = try read(
            await call(.post, "\(facts["apple"] ?? "")/simulator/token", ["sub": "x"]).body
        )
        let apple = ["identity_token": identity.identity_token, "user": "x"]
        #expect(try await call(.post, "\(url)/auth/apple", apple).status == 200)
        #expect(facts["appleClientID"] == "dev.lenssim.nova")
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }

    @Test(arguments: [
        (["serve", "nova", "--users", "0"], "--users must be 1 to 10000"),
        (["serve", "nova", "--posts", "100001"], "--posts must be 0 to 100000"),
        (["serve", "flow", "--posts", "1"], "are for serve nova"),
        (["serve", "s3", "--content-seed", "1"], "are for serve nova"),
        (["serve", "nova", "--dialect", "seed"], "--dialect is for"),
        (["serve", "nova", "--faults", "nova.nothing=1"], "nova.answerLost"),
    ])
    func `what cannot be served is refused`(_ arguments: [String], _ words: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status != 0)
        #expect(run.errors.replacing("\n", with: " ").contains(words), "\(run.errors)")
    }
}
