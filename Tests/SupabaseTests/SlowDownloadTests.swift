import HTTPTypes
import Services
import Simulation
import SupabaseServer
import SupabaseStorage
import TestSupport
import Testing
import Transport

@Suite("Downloads that take their time")
struct SlowDownloadTests {
    /// Downloads a body of 100 bytes, one each second.
    private static func download(_ timeout: Duration, _ downloadTimeout: Duration) async -> Result<
        Int, ObjectStoreError
    > {
        var server = FixedServer(status: 200, body: slowBody(every: .seconds(1), chunk: [7], count: 100))
        server.headers[.contentLength] = "100"
        let store = SupabaseObjectStore(
            SupabaseConfiguration(
                projectURL: "https://project.example",
                bucket: "media",
                key: Secret("key"),
                timeout: timeout,
                downloadTimeout: downloadTimeout
            ),
            client: ServerClient(server)
        )
        do throws(ObjectStoreError) {
            return .success(try await store.get(ObjectKey("a"), upTo: 1000).count)
        } catch {
            return .failure(error)
        }
    }

    @Test func `a download has the time of downloads, not that of a request, however short the other is`()
        throws
    {
        for seed: UInt64 in 1...3 { try Simulation(seed: seed).run { await Self.check() } }
    }

    private static func check() async {
        for (timeout, downloadTimeout) in [(1, 101), (30, 600), (99, 120)] {
            let result = await download(.seconds(timeout), .seconds(downloadTimeout))
            #expect((try? result.get()) == 100)
        }
        for (timeout, downloadTimeout) in [(1, 99), (600, 30)] {
            guard case .failure(let error) = await download(.seconds(timeout), .seconds(downloadTimeout))
            else {
                Issue.record("100 seconds are more than \(downloadTimeout)")
                continue
            }
            #expect(error.code == .timedOut)
        }
    }
}
