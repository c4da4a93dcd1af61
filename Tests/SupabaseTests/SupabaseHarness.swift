import Conformance
import Foundation
import HTTPTypes
import ObjectStoreConformance
import PeerKit
import Services
import SupabaseServer
import SupabaseStorage
import Transport

/// Supabase Storage against its simulated service.
struct SupabaseHarness: ObjectStoreHarness {
    /// A store with the service behind it within reach.
    struct Store: ForwardingObjectStore {
        let server: SupabaseServer
        let client: ServerClient
        let base: any ObjectStore

        init(_ project: SupabaseProject, _ key: String) throws {
            server = try SupabaseServer(project)
            client = ServerClient(server)
            let configuration = SupabaseConfiguration(
                projectURL: "https://project.example",
                bucket: "media",
                key: Secret(key),
                parts: UploadParts(length: 300_000)
            )
            base = SupabaseObjectStore(configuration, client: client)
        }
    }

    private let project: SupabaseProject

    init() {
        var project = SupabaseProject.uploads(to: "media")
        project.buckets[0].sizeLimit = 2 << 20
        self.project = project
    }

    let capabilities = Set(InjectedFailure.allCases)
    let sizeLimit: Int? = 2 << 20
    var secrets: [String] { [key] }

    /// Policies of the project let anybody upload, read and remove; what changes objects needs the key of a service.
    var mayChange = false
    private var key: String { mayChange ? project.serviceKey : project.anonymousKey }

    func makeStore() async throws -> Store { try Store(project, key) }

    func inject(_ failure: InjectedFailure, into store: Store) async throws {
        switch failure {
        case .serverError: store.client.meet(.refusal(500, "Internal", "Internal Server Error"))
        case .slowDown: try store.server.faults.arm("http.503", atMost: 1)
        case .unauthorized:
            // A refusal that echoes the key shows whether errors are clean.
            let message = "\"exp\" claim timestamp check failed in \(project.anonymousKey)"
            store.client.meet(.refusal(403, "Unauthorized", message))
        case .unreachable: store.client.meet(.unreachable)
        case .timeout: store.client.meet(.silence)
        case .lostAnswer: store.client.meet(.lostAnswer)
        }
    }

    func read(publicURL: String, of store: Store) async throws -> [UInt8]? {
        let prefix = "https://project.example"
        guard publicURL.hasPrefix(prefix) else { return nil }
        let path = String(publicURL.dropFirst(prefix.count))
        let request = HTTPRequest(method: .get, scheme: "https", authority: "project.example", path: path)
        let answer = try await store.client.send(request, body: .empty, timeout: .seconds(60))
        guard answer.head.status == .ok else { return [] }
        return try await answer.body.collect(upTo: 1 << 20)
    }
}
