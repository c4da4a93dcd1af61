import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: uploads", .simulated(seeds: 1...3, stalls: .none))
struct NovaUploadTests {
    private static let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0]
    private let nova = NovaServer(.seeded(users: 2, posts: 0))
    private var app: NovaClient { NovaClient(signedIn: nova) }

    @Test("an address takes the bytes until its end, which it says, and no longer")
    func lifetime() async throws {
        let answer = try await app.presign()
        let address = try #require(answer["upload_url"]?.string)
        let end = try Date(#require(answer["expires_at"]?.string), strategy: .iso8601)
        let left = end.timeIntervalSinceNow
        #expect(left > 899 && left <= 900)
        try await Task.sleep(for: .seconds(left - 0.01))
        #expect(try await app.put(address, Self.bytes).status == 200)
        try await Task.sleep(for: .seconds(0.02))
        let late = try await app.put(address, Self.bytes)
        #expect(late.status == 403 && late.text.contains("Request has expired"))
    }

    @Test("the same address again replaces the bytes")
    func again() async throws {
        let answer = try await app.presign()
        let address = try #require(answer["upload_url"]?.string)
        #expect(try await app.put(address, Self.bytes).status == 200)
        #expect(try await app.put(address, [1]).status == 200)
        let key = try #require(answer["file_key"]?.string)
        #expect(nova.storage.object(key, in: "nova")?.bytes == [1])
        #expect(nova.storage.object(key, in: "nova")?.contentType == "image/jpeg")
        #expect(nova.storage.object(key, in: "other") == nil && nova.storage.object("x", in: "nova") == nil)
        #expect(nova.storage.events.map(\.kind) == [.created, .replaced])
    }

    @Test("what was signed must be sent, and nothing else")
    func signed() async throws {
        let address = try #require(try await app.presign()["upload_url"]?.string)
        for type in ["image/png", nil] {
            let answer = try await app.put(address, Self.bytes, type: type)
            #expect(answer.status == 403, "\(answer.text)")
        }
        let wrong = [
            address + "&x=1", address.replacing("photo.jpg", with: "other.jpg"),
            address.replacing("X-Amz-Expires=900", with: "X-Amz-Expires=9000"),
            String(address.dropLast()) + "0",
        ]
        for (index, text) in wrong.enumerated() where text != address {
            let answer = try await app.put(text, Self.bytes)
            #expect(answer.status == 403 && answer.text.contains("SignatureDoesNotMatch"), "\(index)")
        }
        let two = try await app.put(address, Self.bytes, [.authorization: "Bearer x"])
        #expect(two.status == 400 && two.text.contains("InvalidArgument"))
        #expect(nova.storage.objects(in: "nova").isEmpty)
        #expect(try await app.put(address, Self.bytes).status == 200)
    }

    @Test("a picture that was uploaded can be read by anybody at its address")
    func readable() async throws {
        let key = try await app.upload(Self.bytes)
        let post = try await app.publish(key, key: "k")
        let address = try #require(post["image_url"]?.string)
        #expect(address == "http://s3:9000/nova/\(key)")
        let request = HTTPRequest(method: .get, scheme: "http", authority: "s3:9000", path: "/nova/\(key)")
        let answer = await nova.storage.respond(to: request, body: .empty)
        #expect(answer.head.status == .ok && answer.head.headerFields[.contentType] == "image/jpeg")
        #expect(try await answer.body.collect(upTo: 100) == Self.bytes)
    }

    @Test("addresses are for the place that was said last")
    func place() async throws {
        nova.setStorageURL("https://127.0.0.1:9443")
        let address = try #require(try await app.presign()["upload_url"]?.string)
        #expect(address.hasPrefix("https://127.0.0.1:9443/nova/uploads/"))
    }
}
