import Conformance
import FaultConformance
import ObjectStoreConformance
import Services
import SimulatedTransport
import SupabaseServer
import SupabaseStorage
import Testing
import Transport

/// Supabase Storage between two hosts of a network that fails.
private struct FaultyHarness: ObjectStoreHarness {
    let world: FaultyWorld
    private let project: SupabaseProject

    init(_ world: FaultyWorld) {
        self.world = world
        var project = SupabaseProject.uploads(to: "media")
        project.buckets[0].sizeLimit = 250_000
        self.project = project
        world.network.host("phone")
        world.serverHost("cloud")
    }

    let sizeLimit: Int? = 250_000
    var secrets: [String] { [project.serviceKey] }

    func makeStore() async throws -> SupabaseObjectStore {
        let address = await world.serve(try SupabaseServer(project), on: "cloud")
        let configuration = SupabaseConfiguration(
            projectURL: "http://\(address)",
            bucket: "media",
            key: Secret(project.serviceKey),
            parts: UploadParts(length: 100_000)
        )
        return SupabaseObjectStore(configuration, client: world.network.host("phone"))
    }
}

@Suite("Supabase conforms while its world fails")
struct FaultTests {
    @Test func `whatever fails, Supabase passes or says so, and what it reports is so`() {
        let report = FaultSweep(seeds: 1...3).report(ObjectStoreConformance.suite) { FaultyHarness($0) }
        #expect(report.wrongs == [], "\(report)")
    }
}
