import AWSSignature
import Conformance
import HTTPTypes
import ObjectStoreConformance
import PeerKit
import S3Server
import S3Storage
import Services
import Synchronization
import Transport

/// S3 against its simulated service, wherever that is.
struct S3Harness: ObjectStoreHarness {
    /// A service within reach.
    struct Place: Sendable {
        let client: any HTTPClient
        let endpoint: String
    }

    /// A store with the service behind it.
    struct Store: ForwardingObjectStore {
        let server: S3Server
        let client: TroubledClient
        /// Whether the next request has a wrong key.
        let isRefused: WrongKey
        let base: any ObjectStore

        init(
            _ server: S3Server,
            _ place: Place,
            _ configuration: S3Configuration,
            _ wrap: (any ObjectStore) -> any ObjectStore
        ) {
            self.server = server
            client = TroubledClient(place.client)
            let isRefused = WrongKey()
            self.isRefused = isRefused
            let store = S3ObjectStore(client: client) { () throws(SecretStoreError) in
                var current = configuration
                current.endpoint = place.endpoint
                if isRefused.take() { current.credentials?.secretKey = Secret("a-key-of-nobody") }
                return current
            }
            base = wrap(store)
        }
    }

    /// Whether the next request has a wrong key.
    final class WrongKey: Sendable {
        private let isNext = Atomic(false)

        func set() { isNext.store(true, ordering: .relaxed) }
        func take() -> Bool { isNext.exchange(false, ordering: .relaxed) }
    }

    var configuration = S3Configuration(
        endpoint: nil,
        bucket: "media",
        credentials: S3Account.constantCredentials,
        partSize: 200_000
    )
    /// Puts a server somewhere.
    let place: @Sendable (S3Server) async throws -> Place
    /// Puts something between the store and the case.
    var wrap: @Sendable (any ObjectStore) -> any ObjectStore = { $0 }

    let capabilities = Set(InjectedFailure.allCases)
    var sizeLimit: Int? = 2 << 20
    var secrets: [String] { [S3Account.constantCredentials.secretKey.reveal()] }

    func makeStore() async throws -> Store {
        let account = S3Account(
            buckets: [S3Account.Bucket("media", isPublic: true)],
            domain: "s3.example.com",
            sizeLimit: sizeLimit ?? 2 << 20,
            shortestPart: 100_000
        )
        let server = S3Server(account)
        return Store(server, try await place(server), configuration, wrap)
    }

    func inject(_ failure: InjectedFailure, into store: Store) async throws {
        switch failure {
        case .serverError: try store.server.faults.arm("s3.internalError", atMost: 1)
        case .slowDown: try store.server.faults.arm("s3.slowDown", values: ["retryAfter": 3], atMost: 1)
        case .unauthorized: store.isRefused.set()
        case .unreachable: store.client.meet(.unreachable)
        case .timeout: store.client.meet(.silence)
        case .lostAnswer: store.client.meet(.lostAnswer)
        }
    }

    func read(publicURL: String, of store: Store) async throws -> [UInt8]? {
        let parts = publicURL.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        guard parts.count == 3 else { return nil }
        let request = HTTPRequest(
            method: .get,
            scheme: String(parts[0].dropLast()),
            authority: String(parts[1]),
            path: "/" + parts[2]
        )
        let answer = try await store.client.send(request, body: .empty, timeout: .seconds(60))
        guard answer.head.status == .ok else { return [] }
        return try await answer.body.collect(upTo: 1 << 20)
    }
}
