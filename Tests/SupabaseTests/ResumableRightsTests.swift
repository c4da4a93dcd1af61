import Foundation
import HTTPTypes
import Simulation
import SupabaseServer
import Synchronization
import Testing
import Transport

@Suite("Simulated Supabase: who may upload in parts, and which of several uploads wins")
struct ResumableRightsTests {
    private let bytes = [UInt8]("0123456789".utf8)

    @Test func `a token that is no good is refused before the protocol begins, in the form of all routes`()
        async throws
    {
        let wire = try Wire()
        for (token, words) in [(nil, "Invalid Compact JWS"), ("x.y", "Invalid Compact JWS")]
            as [(String?, String)]
        {
            let reply = await wire.begin("a", length: 10, with: .some(token))
            #expect(reply.refusal == ["400", "403", "Unauthorized"])
            #expect(reply["message"] == words)
        }
    }

    @Test func `policies are asked at the beginning and at each part`() async throws {
        let wire = try Wire()
        let refused = await wire.begin("a", length: 10, bucket: "vault", with: wire.project.anonymousKey)
        #expect(refused.plain == "403 new row violates row-level security policy")
        let begun = await wire.begin("a", length: 10, bucket: "vault")
        let part = await wire.patch(
            begun.address,
            at: 0,
            .bytes(bytes),
            with: wire.project.anonymousKey
        )
        #expect(part.plain == "403 new row violates row-level security policy")
        // An expired token fails the next part.
        let old = wire.project.key(of: .service, expiry: Date(timeIntervalSince1970: 1_000_000_000))
        #expect(await wire.patch(begun.address, at: 0, .bytes(bytes), with: old).refusal[1] == "403")
        #expect(await wire.patch(begun.address, at: 0, .bytes(bytes)).status == 204)
    }

    @Test func `the owner is the user of the last part`() async throws {
        let wire = try Wire {
            $0.policies.append(.init(.authenticated, may: [.insert, .select], on: .objects(bucket: nil)))
        }
        let user = wire.project.key(of: .authenticated, subject: "user-1")
        let begun = await wire.begin("a", length: 10, with: user)
        #expect(await wire.patch(begun.address, at: 0, .bytes(bytes), with: user).status == 204)
        let removed = await wire.send(.delete, "/object/media", json: "{\"prefixes\":[\"a\"]}")
        #expect(removed.rows.first?["owner"] as? String == "user-1")
    }

    @Test func `a taken key is refused at the beginning, and at the next part of who comes second`()
        async throws
    {
        let wire = try Wire()
        let first = await wire.begin("a", length: 10)
        let second = await wire.begin("a", length: 10)
        #expect(await wire.patch(second.address, at: 0, .bytes([1])).status == 204)
        #expect(await wire.patch(first.address, at: 0, .bytes(bytes)).status == 204)
        #expect(
            await wire.patch(second.address, at: 1, .bytes([2])).plain == "409 The resource already exists"
        )
        #expect(await wire.begin("a", length: 10).plain == "409 The resource already exists")
        #expect(wire.server.events.map(\.kind) == [.created, .refusedDuplicate, .refusedDuplicate])
        #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
    }

    @Test func `with x-upsert at each part the last to finish wins`() async throws {
        let wire = try Wire()
        let upsert = ["x-upsert": "true"]
        let first = await wire.begin("a", length: 10, headers: upsert)
        let second = await wire.begin("a", length: 3, headers: upsert)
        #expect(await wire.patch(first.address, at: 0, .bytes(bytes), headers: upsert).status == 204)
        #expect(
            await wire.patch(second.address, at: 0, .bytes([1, 2, 3])).plain
                == "409 The resource already exists"
        )
        #expect(await wire.patch(second.address, at: 0, .bytes([1, 2, 3]), headers: upsert).status == 204)
        #expect(wire.server.objects(in: "media").map(\.bytes) == [[1, 2, 3]])
        #expect(wire.server.events.map(\.kind) == [.created, .refusedDuplicate, .replaced])
    }

    @Test func `a signed address takes an upload in parts without a key`() throws {
        // The address is good for a minute, which a busy machine may take.
        try Simulation(seed: 5).run {
            let wire = try Wire()
            let signed = await wire.send(.post, "/object/upload/sign/media/a")
            let token = try #require(signed["token"])
            let right = ["x-signature": token]
            let path = "/upload/resumable/sign"
            let begun = await wire.begin("a", length: 10, with: .some(nil), headers: right, path: path)
            #expect(begun.status == 201)
            #expect(begun.address.hasPrefix("/upload/resumable/sign/"))
            #expect(
                await wire.begin("b", length: 10, with: .some(nil), headers: right, path: path).plain
                    == "400 Invalid signature"
            )
            #expect(await wire.begin("a", length: 10, with: .some(nil), path: path).status == 400)
            #expect(await wire.head(begun.address).status == 400)
            #expect(await wire.head(begun.address, headers: right).offset == 0)
            let plain = begun.address.replacing("/sign", with: "")
            #expect(await wire.head(plain).status == 404)
            let part = await wire.patch(begun.address, at: 0, .bytes(bytes), with: .some(nil), headers: right)
            #expect(part.status == 204)
            #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
        }
    }

    @Test func `an upload is gone when its time is over, and forgotten when twice that is`() throws {
        try Simulation(seed: 5).run {
            let wire = try Wire { $0.resumableLifetime = .seconds(100) }
            let begun = await wire.begin("a", length: 10)
            #expect(await wire.patch(begun.address, at: 0, .bytes([1])).status == 204)
            try await Task.sleep(for: .seconds(99))
            #expect(await wire.head(begun.address).offset == 1)
            try await Task.sleep(for: .seconds(1))
            #expect(await wire.head(begun.address).status == 410)
            #expect(
                await wire.patch(begun.address, at: 1, .bytes([2])).plain
                    == "410 The file for this url no longer exists"
            )
            try await Task.sleep(for: .seconds(100))
            // Another one's beginning looks for what is over.
            #expect(await wire.begin("b", length: 1).status == 201)
            #expect(await wire.head(begun.address).status == 404)
        }
    }

    @Test func `bytes of uploads in parts count against the memory, and are given back`() async throws {
        let wire = try Wire { $0.memoryLimit = 100_000 }
        let begun = await wire.begin("a", length: 200_000)
        #expect(
            await wire.patch(begun.address, at: 0, .bytes(.init(repeating: 1, count: 60_000))).status == 204
        )
        #expect(
            await wire.patch(begun.address, at: 60_000, .bytes(.init(repeating: 1, count: 60_000))).status
                == 507
        )
        let fields = ["tus-resumable": "1.0.0"]
        #expect(await wire.send(.delete, begun.address, headers: fields).status == 204)
        for round in 0..<20 {
            let next = await wire.begin("b", length: 60_000)
            #expect(next.status == 201, "\(round)")
            #expect(
                await wire.patch(next.address, at: 0, .bytes(.init(repeating: 1, count: 60_000))).status
                    == 204
            )
            await wire.send(.delete, "/object/media/b")
        }
    }

    @Test func `a part that breaks keeps what has come`() async throws {
        let wire = try Wire()
        let begun = await wire.begin("a", length: 10)
        let part = await wire.patch(begun.address, at: 0, broken(after: [Array(bytes[..<3]), [bytes[3]]]))
        #expect(part.status == 400)
        #expect(await wire.head(begun.address).offset == 4)
        #expect(await wire.patch(begun.address, at: 4, .bytes(Array(bytes[4...]))).status == 204)
        #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
    }

    private func broken(after chunks: [[UInt8]]) -> HTTPBody {
        let left = Mutex(chunks)
        return .stream(
            ByteStream { () async throws(TransportError) in
                let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                guard let next else { throw TransportError(.reset, operation: "read body", peer: "client") }
                return next
            },
            length: 10
        )
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `whoever asks for the offset gets it from a part that stands still`(_ seed: UInt64) throws {
        try Simulation(seed: seed).run {
            let wire = try Wire()
            let begun = await wire.begin("a", length: 10)
            let bytes = bytes
            async let stuck = wire.patch(begun.address, at: 0, slow(bytes, every: .seconds(1000)))
            // Some of it has come.
            try await Task.sleep(for: .seconds(2500))
            let head = await wire.head(begun.address)
            #expect(head.offset == 2)
            #expect(await stuck.plain == "400 Request aborted due to lock acquired")
            let last = await wire.patch(begun.address, at: 2, .bytes(Array(bytes[2...])))
            #expect(last.header("tus-complete") == "1")
            #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
        }
    }

    /// One byte after another.
    private func slow(_ bytes: [UInt8], every pause: Duration) -> HTTPBody {
        let left = Mutex(bytes)
        return .stream(
            ByteStream { () async throws(TransportError) in
                do { try await Task.sleep(for: pause) } catch {
                    throw TransportError(.cancelled, operation: "read body", peer: "client")
                }
                return left.withLock { $0.isEmpty ? nil : [$0.removeFirst()] }
            },
            length: bytes.count
        )
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `parts from many tasks at once make one object of the right bytes`(_ seed: UInt64) throws {
        try Simulation(seed: seed).run {
            let wire = try Wire()
            let bytes = (0..<64).map { UInt8($0) }
            let begun = await wire.begin("a", length: 64)
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        while let offset = await wire.head(begun.address).offset, offset < 64 {
                            let end = min(64, offset + Int.random(in: 1...20))
                            _ = await wire.patch(
                                begun.address,
                                at: offset,
                                pieces(Array(bytes[offset..<end]), of: [1, 5])
                            )
                        }
                    }
                }
            }
            #expect(wire.server.objects(in: "media").map(\.bytes) == [bytes])
            #expect(wire.server.events.filter { $0.kind == .created }.count == 1)
        }
    }
}
