import Files
import LiveTransport
import PeerKit
import Services
import SupabaseServer
import SupabaseStorage
import TestSupport
import Testing
import Transport

@Suite("Uploads in parts over sockets", .timeLimit(.minutes(10)))
struct LivePartsTests {
    @Test func `a film goes in parts of 6 MiB, and on after a restart of the service`() async throws {
        let folder = try TemporaryFolder()
        var project = SupabaseProject.uploads(to: "media", folder: folder.file("store"))
        project.sizeLimit = 64 << 20
        let bytes = [UInt8].pattern(20_000_000)
        try folder.write(bytes, to: "film.mov")
        let path = folder.file("film.mov")
        let source = ObjectContent(size: bytes.count) { range throws(ObjectContentError) in
            do throws(FileFailure) {
                return try SystemFiles().read(path, from: range.lowerBound, count: range.count)
            } catch { throw ObjectContentError(error.description) }
        }
        let client = try LiveTransport(.init())
        let host = try LoopbackHost()
        let key = ObjectKey("films/one.mov")
        let kept = KeptCheckpoint()
        func put(to server: SupabaseServer, from checkpoint: UploadCheckpoint?) async throws {
            let listener = try await host.listen(server, at: .loopback())
            let store = SupabaseObjectStore(
                SupabaseConfiguration(
                    projectURL: "http://\(listener.address)",
                    bucket: "media",
                    key: Secret(project.anonymousKey)
                ),
                client: client
            )
            var here = checkpoint
            here?.store =
                SupabaseConfiguration(
                    projectURL: "http://\(listener.address)",
                    bucket: "media",
                    key: nil
                ).identity
            do {
                try await store.put(
                    source,
                    at: key,
                    PutOptions(contentType: "video/quicktime", checkpoint: here),
                    report: kept.report
                )
            } catch {
                await listener.stop()
                throw error
            }
            await listener.stop()
        }
        let first = try SupabaseServer(project)
        try first.faults.arm("supabase.resumable.cut", skipping: 1, atMost: 1)
        try first.faults.arm("supabase.resumable.refused", values: ["status": 403], skipping: 4, atMost: 1)
        await #expect { try await put(to: first, from: nil) } throws: {
            ($0 as? ObjectStoreError)?.code == .unauthorized
        }
        let offset = try #require(kept.last).confirmed
        #expect(offset > 6 << 20 && offset < bytes.count)

        let second = try SupabaseServer(project)
        try await put(to: second, from: kept.last)
        #expect(second.objects(in: "media").map(\.bytes) == [bytes])
        await client.shutdown()
    }
}
