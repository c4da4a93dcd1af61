import Argus
import ArgusHub
import ArgusPage
import Concurrency
import HTTPTypes
import PageKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedPush
import SimulatedTransport
import TestSupport
import Transport

/// Argus on a phone, its hub behind a relay, and a host on which scripted pages run.
@MainActor
struct ArgusVisit {
    static let authority = "phone:8080"

    let hub: ArgusHub
    let app: ArgusApp
    let push: SimulatedPushCentre
    let server: PageServer<ArgusWindow>
    let network: SimulatedNetwork
    let token: PageToken
    let home: NotedHome

    static func start(_ project: ArgusProject = ArgusProject()) async throws -> ArgusVisit {
        let network = SimulatedNetwork()
        let hub = ArgusHub(project)
        _ = try await network.host("relay").listen(hub, at: SocketAddress(host: "relay", port: 80))
        let push = SimulatedPushCentre(token: [1, 2, 3])
        let app = ArgusApp(
            ArgusEnvironment(
                http: network.host("phone"),
                browser: EmptyNetwork(),
                relay: ServiceAddress("http://relay"),
                secrets: InMemorySecretStore(),
                push: push,
                device: SimulatedDeviceInformation(),
                dialect: project.dialect == .seed ? .seed : .hub
            )
        )
        let home = NotedHome()
        let token = PageToken()
        let server = ArgusPage(app, home: home).server(token: token, hosts: ["phone"])
        _ = try await network.host("phone").listen(server, at: SocketAddress(host: "phone", port: 8080))
        await app.launch()
        return ArgusVisit(
            hub: hub,
            app: app,
            push: push,
            server: server,
            network: network,
            token: token,
            home: home
        )
    }

    private func request(_ path: String, _ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: Self.authority, path: path)
        request.headerFields[.cookie] = "argus-8080=\(token.text)"
        request.headerFields[.origin] = "http://\(Self.authority)"
        return request
    }

    /// Opens a page that says hello.
    func open(_ hello: String = "{}", on host: String = "browser") async throws -> ScriptedPage {
        var handshake = request("/socket", .get)
        handshake.scheme = "ws"
        let socket = try await network.host(host).connect(
            handshake,
            limits: WebSocketLimits(),
            timeout: .seconds(30)
        )
        let page = ScriptedPage(socket)
        try await page.send(#"{"hello":\#(hello)}"#)
        try await page.frame { $0.welcome != nil }
        return page
    }

    /// What a path of the page's server is answered with.
    func get(_ path: String) async throws -> (head: HTTPResponse, body: [UInt8]) {
        let answer = try await network.host("browser").send(
            request(path, .get),
            body: .empty,
            timeout: .seconds(30)
        )
        return (answer.head, try await answer.body.collect(upTo: 1 << 20))
    }

    /// Types a code, and sends it.
    func pair(_ page: ScriptedPage, _ code: String? = nil) async throws {
        try await page.until("root") { $0["root"] as? String == "pairing" }
        try await page.act("pairing", #"{"setCode":{"_0":"\#(code ?? hub.makeCode())"}}"#)
        try await page.act("pairing", #"{"submit":{}}"#)
    }

    /// Pairs, and waits for the events.
    func toEvents(_ page: ScriptedPage) async throws {
        try await pair(page)
        try await page.until("events") { $0["isLoaded"] as? Bool == true }
    }
}

/// A network on which nothing is found.
private struct EmptyNetwork: ServiceBrowser {
    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        AsyncStream { $0.yield(ServiceListing()) }
    }

    func reconfirm(_ service: DiscoveredService) async {}
}

/// A home that notes what is done in it.
@MainActor
final class NotedHome: HomeControls {
    nonisolated let states: Published<HomeState>
    private let current = CurrentValue(HomeState(code: "012345"))
    private(set) var rings = 0

    init() { states = current.published }

    func setHub(isAtHome: Bool) async { current.update { $0.isHubAtHome = isAtHome } }
    func setInternet(isOn: Bool) async { current.update { $0.isInternetOn = isOn } }
    func ring() { rings += 1 }
    func showCode() { current.update { $0.code = "543210" } }
}
