import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import Services
import Simulation
import SupabaseServer
import SupabaseStorage
import Synchronization
import TestSupport
import Testing
import Transport

/// The newest checkpoint that a caller was given.
final class KeptCheckpoint: Sendable {
    private let all = Mutex<[UploadCheckpoint]>([])

    var last: UploadCheckpoint? { all.withLock(\.last) }
    var offsets: [Int] { all.withLock { $0.map(\.confirmed) } }

    func report(_ progress: UploadProgress) {
        if let checkpoint = progress.checkpoint { all.withLock { $0.append(checkpoint) } }
    }
}

@Suite("Uploads in parts")
struct PartsTests {
    static let parts = UploadParts(
        length: 1000,
        retries: RetryPolicy(retries: 3, first: .milliseconds(500), longest: .seconds(4)),
        restarts: 2
    )

    static func configuration(_ project: SupabaseProject, key: String? = nil) -> SupabaseConfiguration {
        SupabaseConfiguration(
            projectURL: "https://project.example",
            bucket: "media",
            key: Secret(key ?? project.anonymousKey),
            parts: parts
        )
    }

    private let key = ObjectKey("films/one.mov")
    private let bytes = [UInt8].pattern(3500)

    private struct World {
        let server: SupabaseServer
        let client: ServerClient
        let store: SupabaseObjectStore
        let kept = KeptCheckpoint()

        init(_ change: (inout SupabaseProject) -> Void = { _ in }) throws {
            var project = SupabaseProject.uploads(to: "media")
            change(&project)
            server = try SupabaseServer(project)
            client = ServerClient(server)
            store = SupabaseObjectStore(PartsTests.configuration(project), client: client)
        }

        func put(
            _ bytes: [UInt8],
            at key: ObjectKey,
            from checkpoint: UploadCheckpoint? = nil
        ) async throws(ObjectStoreError) {
            try await store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: "video/quicktime", checkpoint: checkpoint),
                report: kept.report
            )
        }

        /// Methods and the offsets of parts, in order.
        var sent: [String] {
            client.sent.map { request, _ in
                let offset = HTTPField.Name("upload-offset").flatMap { request.headerFields[$0] }
                return [request.method.rawValue, offset].compactMap(\.self).joined(separator: " ")
            }
        }
    }

    @Test func `a large object goes in parts, and each is kept when it is there`() async throws {
        let world = try World()
        try await world.put(bytes, at: key)
        #expect(world.sent == ["POST", "PATCH 0", "PATCH 1000", "PATCH 2000", "PATCH 3000"])
        #expect(world.client.sent.map(\.body.count) == [0, 1000, 1000, 1000, 500])
        #expect(world.kept.offsets == [0, 1000, 2000, 3000])
        let object = try #require(world.server.objects(in: "media").first)
        #expect(object.bytes == bytes && object.key == key.path)
        #expect(object.contentType == "video/quicktime" && object.cacheControl == "max-age=3600")
        #expect(world.server.unevenChunkCount == 3)
        let kept = try #require(world.kept.last)
        let copy = try JSONDecoder().decode(UploadCheckpoint.self, from: JSONEncoder().encode(kept))
        #expect(copy == kept && kept.size == 3500)
        #expect(kept.digest.count == 64)
    }

    @Test func `what is not larger than a part goes in one request`() async throws {
        let world = try World()
        try await world.put(Array(bytes[..<1000]), at: key)
        #expect(world.sent == ["POST"])
        #expect(world.server.objects(in: "media").map(\.bytes) == [Array(bytes[..<1000])])
        #expect(world.kept.last == nil)
    }

    @Test func `what comes once goes in parts too, and has no checkpoint`() async throws {
        let world = try World()
        let left = Mutex(
            stride(from: 0, to: bytes.count, by: 333).map { [bytes] in
                Array(bytes[$0..<min($0 + 333, bytes.count)])
            }
        )
        let content = ObjectContent(size: bytes.count) {
            left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        try world.server.faults.arm("supabase.resumable.cut", skipping: 1, atMost: 1)
        try await world.store.put(
            content,
            at: key,
            PutOptions(contentType: "video/quicktime"),
            report: world.kept.report
        )
        #expect(world.server.objects(in: "media").map(\.bytes) == [bytes])
        #expect(world.kept.last == nil)
    }

    @Test func `the usual part is as long as the hosted service wants it`() {
        #expect(UploadParts().length == 6_291_456)
    }

    // MARK: Failures

    @Test(arguments: 0..<5)
    func `an answer is lost after its effect, and the upload goes on where it is`(_ place: Int) throws {
        try Simulation(seed: 1).run {
            let world = try World()
            Simulation.current?.arm(
                faultPoint: "supabase.resumable.answerLost",
                values: ["silence": 5],
                skipping: place,
                atMost: 1
            )
            try await world.put(bytes, at: key)
            #expect(world.server.objects(in: "media").map(\.bytes) == [bytes])
            // No part was sent twice.
            let parts = world.sent.filter { $0.hasPrefix("PATCH") }
            #expect(parts == ["PATCH 0", "PATCH 1000", "PATCH 2000", "PATCH 3000"])
            #expect(world.server.events.map(\.kind) == [.created])
        }
    }

    @Test func `a part that breaks goes on after what has come`() throws {
        try Simulation(seed: 1).run {
            let world = try World()
            Simulation.current?.arm(
                faultPoint: "supabase.resumable.cut",
                values: ["share": 0.25],
                skipping: 1,
                atMost: 1
            )
            try await world.put(bytes, at: key)
            #expect(
                world.sent == [
                    "POST", "PATCH 0", "PATCH 1000", "HEAD", "PATCH 1250", "PATCH 2250", "PATCH 3250",
                ]
            )
            #expect(world.server.objects(in: "media").map(\.bytes) == [bytes])
        }
    }

    @Test func `an upload that is forgotten is started again, so often`() throws {
        try Simulation(seed: 1).run {
            for (times, isStored) in [(1, true), (2, true), (3, false)] {
                let world = try World()
                Simulation.current?.arm(faultPoint: "supabase.resumable.expired", atMost: times)
                do throws(ObjectStoreError) {
                    try await world.put(bytes, at: key)
                    #expect(isStored)
                } catch {
                    #expect(!isStored && error.code == .notFound)
                }
                #expect(world.sent.filter { $0 == "POST" }.count == min(times, 2) + 1)
                #expect(world.server.objects(in: "media").count == (isStored ? 1 : 0))
            }
        }
    }

    @Test func `a service that stays broken is asked so often, and no more`() throws {
        try Simulation(seed: 1).run {
            let world = try World()
            Simulation.current?.arm(faultPoint: "supabase.resumable.refused", values: ["status": 503])
            let start = ContinuousClock.now
            await #expect { try await world.put(bytes, at: key) } throws: {
                ($0 as? ObjectStoreError)?.code == .slowDown
            }
            // Once, and three times more after 0.5, 1 and 2 seconds.
            #expect(world.sent == ["POST", "POST", "POST", "POST"])
            #expect((3.5..<4).contains(start.duration(to: .now) / .seconds(1)))
        }
    }

    @Test func `bytes in between begin the count anew, up to so many failures for each part`() throws {
        try Simulation(seed: 1).run {
            let world = try World()
            // Each part brings a tenth of its bytes.
            Simulation.current?.arm(faultPoint: "supabase.resumable.cut", values: ["share": 0.1])
            await #expect { try await world.put(bytes, at: key) } throws: {
                ($0 as? ObjectStoreError)?.isTransient == true
            }
            // Three for each of four parts, and the last.
            #expect(world.sent.filter { $0.hasPrefix("PATCH") }.count == 13)
        }
    }

    @Test(
        "what trying again does not mend ends the upload at once",
        arguments: [(403, ObjectStoreError.Code.unauthorized), (413, .tooLarge), (415, .invalidRequest)]
    )
    func finalRefusals(_ status: Int, _ code: ObjectStoreError.Code) async throws {
        let world = try World()
        try world.server.faults.arm(
            "supabase.resumable.refused",
            values: ["status": Double(status)],
            skipping: 2,
            atMost: 1
        )
        await #expect { try await world.put(bytes, at: key) } throws: {
            ($0 as? ObjectStoreError)?.code == code
        }
        #expect(world.sent.count == 3)
        // What was kept is still good.
        try await world.put(bytes, at: key, from: world.kept.last)
        #expect(world.sent.dropFirst(3).map { $0 } == ["HEAD", "PATCH 1000", "PATCH 2000", "PATCH 3000"])
        #expect(world.server.objects(in: "media").map(\.bytes) == [bytes])
    }

    // MARK: Checkpoints

    @Test func `a checkpoint of other bytes, another key or another store starts again`() async throws {
        let world = try World()
        try world.server.faults.arm(
            "supabase.resumable.refused",
            values: ["status": 403],
            skipping: 2,
            atMost: 1
        )
        try? await world.put(bytes, at: key)
        let kept = try #require(world.kept.last)
        var other = kept
        other.store = "https://other.example/media"
        try await world.put(bytes.reversed(), at: key, from: kept)
        try await world.put(bytes, at: ObjectKey("b"), from: kept)
        try await world.put(bytes, at: ObjectKey("c"), from: other)
        #expect(!world.sent.contains("HEAD"))
        #expect(world.server.objects(in: "media").map(\.bytes) == [bytes, bytes, bytes.reversed()])
    }

    @Test func `a checkpoint of a finished upload sends nothing again`() async throws {
        let world = try World()
        try await world.put(bytes, at: key)
        let count = world.sent.count
        try await world.put(bytes, at: key, from: world.kept.last)
        #expect(world.sent.dropFirst(count).map { $0 } == ["HEAD", "GET"])
        #expect(world.server.events.map(\.kind) == [.created])
    }

    @Test func `a checkpoint with a strange address harms nobody`() async throws {
        for location in ["https://evil.example/x", "", "/../../auth/v1/user", "x y", "\u{0}", "%2e%2e"] {
            let world = try World()
            try world.server.faults.arm(
                "supabase.resumable.refused",
                values: ["status": 403],
                skipping: 2,
                atMost: 1
            )
            try? await world.put(bytes, at: key)
            var kept = try #require(world.kept.last)
            kept.place = location
            do throws(ObjectStoreError) { try await world.put(bytes, at: key, from: kept) } catch {
                #expect([.invalidRequest, .notFound].contains(error.code), "\(error)")
            }
            for (request, _) in world.client.sent {
                #expect(request.authority == "project.example")
                #expect(request.path?.hasPrefix("/storage/v1/") == true)
            }
        }
    }

    // MARK: Others

    @Test func `a key that is taken is refused, also after the last byte`() async throws {
        let world = try World()
        let other = SupabaseObjectStore(
            Self.configuration(world.server.project),
            client: ServerClient(world.server)
        )
        // As long as ours.
        let theirs = Array(bytes.reversed())
        try world.server.faults.arm(
            "supabase.resumable.refused",
            values: ["status": 403],
            skipping: 4,
            atMost: 1
        )
        try? await world.put(bytes, at: key)
        try await other.put(
            ObjectContent(theirs),
            at: key,
            PutOptions(contentType: "video/quicktime"),
            report: { _ in }
        )
        await #expect { try await world.put(bytes, at: key, from: world.kept.last) } throws: {
            ($0 as? ObjectStoreError)?.code == .alreadyExists
        }
        await #expect { try await world.put(bytes, at: key) } throws: {
            ($0 as? ObjectStoreError)?.code == .alreadyExists
        }
        #expect(world.server.objects(in: "media").map(\.bytes) == [theirs])
    }

    @Test func `no error and no checkpoint holds the key of the project`() async throws {
        let world = try World()
        try world.server.faults.arm("supabase.resumable.refused", values: ["status": 500])
        do throws(ObjectStoreError) { try await world.put(bytes, at: key) } catch {
            #expect(!"\(error)".contains(world.server.project.anonymousKey))
        }
        world.server.faults.disarm()
        try await world.put(bytes, at: key)
        let kept = String(decoding: try JSONEncoder().encode(world.kept.last), as: UTF8.self)
        #expect(!kept.contains(world.server.project.anonymousKey))
        #expect(!kept.contains("project.example/storage"))
    }

    @Test func `a store without configuration uploads nothing, and neither does an invalid media type`()
        async throws
    {
        let client = ServerClient(FixedServer(status: 500, body: .empty))
        let store = SupabaseObjectStore(
            SupabaseConfiguration(projectURL: nil, bucket: "media", key: nil, parts: Self.parts),
            client: client
        )
        await #expect {
            try await store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: "video/quicktime"),
                report: { _ in }
            )
        } throws: { ($0 as? ObjectStoreError)?.code == .notConfigured }
        #expect(client.sent.isEmpty)
        let world = try World()
        await #expect {
            try await world.store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: "video"),
                report: { _ in }
            )
        } throws: { ($0 as? ObjectStoreError)?.code == .invalidRequest }
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: [200, 201, 204, 302])
    func `a portal that answers everything is no service`(_ status: Int) throws {
        try Simulation(seed: 1).run {
            let client = ServerClient(FixedServer(status: status, body: .text("welcome")))
            let project = SupabaseProject.uploads(to: "media")
            let store = SupabaseObjectStore(Self.configuration(project), client: client)
            await #expect {
                try await store.put(
                    ObjectContent(bytes),
                    at: key,
                    PutOptions(contentType: "video/quicktime"),
                    report: { _ in }
                )
            } throws: { ($0 as? ObjectStoreError)?.code == .serverError }
            #expect(client.sent.count == 4)
        }
    }
}
