import Conformance
import HTTPTypes
import ObjectStoreConformance
import Services
import SimulatedTransport
import Synchronization
import Transport
import WebDAVStorage

/// The store with the server that it asks.
struct StagedStore: ForwardingObjectStore {
    let server: ScriptedDAV
    let client: any HTTPClient
    let base: any ObjectStore
    private let next: NextConfiguration

    init(_ server: ScriptedDAV, _ client: any HTTPClient, _ configuration: WebDAVConfiguration) {
        let next = NextConfiguration()
        (self.server, self.client, self.next) = (server, client, next)
        base = WebDAVObjectStore(client: client) { () throws(SecretStoreError) in next.take() ?? configuration
        }
    }

    /// Has the next call use another configuration.
    func meet(_ configuration: WebDAVConfiguration) { next.set(configuration) }

    private final class NextConfiguration: Sendable {
        private let kept = Mutex<WebDAVConfiguration?>(nil)

        func set(_ configuration: WebDAVConfiguration) { kept.withLock { $0 = configuration } }
        func take() -> WebDAVConfiguration? { kept.withLock { $0.take() } }
    }
}

/// The store against its scripted server, wherever that is.
struct WebDAVHarness: ObjectStoreHarness {
    let form: ScriptedDAV.Form
    var timeout = Duration.seconds(30)
    /// Puts a server somewhere, and says with which client and under which host and port it is reached.
    let place: @Sendable (ScriptedDAV) async throws -> (client: any HTTPClient, authority: String)

    let capabilities = Set(InjectedFailure.allCases)
    let sizeLimit: Int? = ScriptedDAV.sizeLimit
    let secrets = ["sesame-7", "bWU6c2VzYW1lLTc=", "guess", "bWU6Z3Vlc3M="]

    func makeStore() async throws -> StagedStore {
        let server = ScriptedDAV(form)
        let (client, authority) = try await place(server)
        return StagedStore(server, client, configuration("http://\(authority)/dav"))
    }

    private func configuration(_ address: String, _ login: String = ScriptedDAV.login) -> WebDAVConfiguration
    {
        WebDAVConfiguration(address: address, login: Secret(login), timeout: timeout)
    }

    func inject(_ failure: InjectedFailure, into store: StagedStore) throws {
        let address = try store.publicURL(of: ObjectKey("a")).dropLast("/a".count)
        switch failure {
        case .serverError: store.server.meet(.answers(.internalServerError))
        case .slowDown: store.server.meet(.answers(.serviceUnavailable, [.retryAfter: "3"]))
        case .unauthorized: store.meet(configuration(String(address), "me:guess"))
        // Nobody listens there.
        case .unreachable: store.meet(configuration("http://127.0.0.1:1/dav"))
        case .timeout: store.server.meet(.silence)
        case .lostAnswer: store.server.meet(.lostAnswer)
        }
    }

    func read(publicURL: String, of store: StagedStore) async throws -> [UInt8]? {
        let parts = publicURL.split(separator: "/", maxSplits: 2)
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: String(parts[1]),
            path: "/" + parts[2]
        )
        let answer = try await store.client.send(request, body: .empty, timeout: .seconds(30))
        return answer.head.status == .ok ? try await answer.body.collect(upTo: 1 << 20) : []
    }

    func look(at key: ObjectKey, in store: StagedStore) -> SeenObject? {
        let isPlain = !key.path.hasPrefix(".") && !key.path.hasSuffix(".d") && !key.path.contains("%")
        guard isPlain else { return nil }
        return store.server.file(key.path.replacing("/", with: ".d/")).map { .object($0.bytes) } ?? .nothing
    }
}

extension WebDAVHarness {
    /// Over a simulated network.
    ///
    /// - Precondition: In a simulation.
    static func simulated(_ form: ScriptedDAV.Form = .prefixed, on network: SimulatedNetwork) -> WebDAVHarness
    {
        let (phone, cloud) = (network.host("phone"), network.host("cloud"))
        return WebDAVHarness(form: form) { server in
            let listener = try await cloud.listen(server, at: SocketAddress(host: "cloud", port: 0))
            return (phone, "\(listener.address)")
        }
    }
}
