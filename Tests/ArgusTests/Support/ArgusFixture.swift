import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import ServiceClient
import Services
import SimulatedDevice
import SimulatedPush
import SimulatedTransport
import Synchronization
import Testing
import Transport

/// A phone with the app, a hub at home and behind a relay, and the network between them, inside the current simulation.
@MainActor
final class ArgusFixture {
    let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(5))))
    let hub: ArgusHub
    let browser = ScriptedBrowser()
    let secrets: InMemorySecretStore
    let push: SimulatedPushCentre
    let http: NotedHTTP
    /// The door at home.
    let local: any Listener
    private(set) var app: ArgusApp
    private(set) var screens: ArgusScreens

    /// The authority of the relay.
    static let relay = "relay:80"

    /// Starts the hub at its two doors; the app is made and not launched.
    init(
        _ project: ArgusProject = ArgusProject(),
        answer: SimulatedPushCentre.Answer = .granted,
        token: [UInt8]? = nil,
        secrets: [String: Secret] = [:],
        pushes: (any HubPushes)? = nil
    ) async throws {
        hub = ArgusHub(project, pushes: pushes)
        self.secrets = InMemorySecretStore(secrets)
        push = SimulatedPushCentre(answer: answer, token: token)
        local = try await network.host("hub").listen(hub, at: SocketAddress(host: "hub", port: 8080))
        _ = try await network.host("relay").listen(hub, at: SocketAddress(host: "relay", port: 80))
        http = NotedHTTP(network.host("phone"))
        app = Self.makeApp(http, browser, self.secrets, push)
        screens = app.makeScreens()
        show(screens)
    }

    /// Starts the app again, as after its process has ended.
    func relaunch() async {
        await app.shutdown()
        app = Self.makeApp(http, browser, secrets, push)
        screens.disappear()
        screens = app.makeScreens()
        show(screens)
        await app.launch()
    }

    /// Root and pairing appear; a list and a detail that do load by themselves, which is the business of tests of that.
    private func show(_ screens: ArgusScreens) {
        screens.root.appear()
        screens.pairing.appear()
    }

    private static func makeApp(
        _ http: NotedHTTP,
        _ browser: ScriptedBrowser,
        _ secrets: InMemorySecretStore,
        _ push: SimulatedPushCentre
    ) -> ArgusApp {
        ArgusApp(
            ArgusEnvironment(
                http: http,
                browser: browser,
                relay: ServiceAddress("http://\(relay)"),
                secrets: secrets,
                push: push,
                device: SimulatedDeviceInformation()
            )
        )
    }

    /// Launches the app and pairs it with a new code.
    func pair() async throws {
        await app.launch()
        await enter(hub.makeCode())
        try #require(app.auth.isAuthenticated.value)
    }

    /// Types a code, and sends it.
    func enter(_ code: String) async {
        await screens.pairing.send(.setCode(code))
        await screens.pairing.send(.submit)
    }

    /// The hub as it is found on the local network.
    func found(
        _ name: String = "Hub",
        id: String? = "hub-1",
        at addresses: [String]? = nil,
        for seconds: Int = 120
    )
        -> DiscoveredService
    {
        let addresses = addresses ?? [network.host("hub").addresses[0].description]
        guard let type = ServiceType("_argusai._tcp") else { preconditionFailure("this is a type") }
        return DiscoveredService(
            name: name,
            type: type,
            host: "hub.local",
            attributes: id.map { ["id": $0] } ?? [:],
            ways: addresses.map { ServiceWay(interface: "eth0", address: $0, port: 8080) },
            expires: .now + .seconds(seconds)
        )
    }

    /// Has the hub found, and waits until the app has noticed.
    func find(_ services: DiscoveredService...) async {
        browser.list(services)
        await settle()
    }

    /// Waits until nothing is left to do; the first call of a launch waits a second for a hub to be found.
    func settle(_ time: Duration = .milliseconds(50)) async { try? await Task.sleep(for: time) }

    /// The paths of the requests that the hub has got, oldest first.
    var paths: [String] {
        hub.log.compactMap { if case .requested(_, let path, _, _) = $0 { path } else { nil } }
    }

    /// How many requests have gone to a path.
    func count(_ suffix: String) -> Int {
        paths.count { $0.prefix { $0 != "?" }.hasSuffix(suffix) }
    }

    /// The authorities to which requests were sent, oldest first.
    var authorities: [String] { http.sent.compactMap(\.request.authority) }
}

/// A browser that lists what a test says.
final class ScriptedBrowser: ServiceBrowser {
    private struct State {
        var listing = ServiceListing()
        var readers: [Int: AsyncStream<ServiceListing>.Continuation] = [:]
        var browses = 0
        var types: [ServiceType] = []
        var reconfirmed: [String] = []
    }

    private let state = Mutex(State())

    /// The types that were browsed for.
    var types: [ServiceType] { state.withLock(\.types) }
    /// How many browses are under way.
    var readers: Int { state.withLock(\.readers.count) }
    /// The services that were asked about, by name.
    var reconfirmed: [String] { state.withLock(\.reconfirmed) }

    func list(_ services: [DiscoveredService]) {
        state.withLock { state in
            state.listing = ServiceListing(services: services)
            for reader in state.readers.values { reader.yield(state.listing) }
        }
    }

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.types.append(type)
            state.browses += 1
            state.readers[state.browses] = reader
            reader.yield(state.listing)
            return state.browses
        }
        reader.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }

    func reconfirm(_ service: DiscoveredService) async {
        state.withLock { $0.reconfirmed.append(service.name) }
    }
}

/// A client whose requests are noted.
final class NotedHTTP: HTTPClient {
    struct Sent: Sendable {
        let request: HTTPRequest
        let body: [UInt8]

        /// The body, where it is an object of texts.
        var fields: [String: String] {
            (try? JSONDecoder().decode([String: String].self, from: Data(body))) ?? [:]
        }
    }

    private let base: any HTTPClient
    private let requests = Mutex<[Sent]>([])

    init(_ base: any HTTPClient) { self.base = base }

    /// What was sent, oldest first.
    var sent: [Sent] { requests.withLock(\.self) }

    /// What was sent to a path.
    func sent(to suffix: String) -> [Sent] {
        sent.filter { ($0.request.path ?? "").prefix { $0 != "?" }.hasSuffix(suffix) }
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let bytes = try await body.collect(upTo: 1 << 20)
        requests.withLock { $0.append(Sent(request: request, body: bytes)) }
        return try await base.send(request, body: .bytes(bytes), limits: limits)
    }
}
