import Flow
import FlowPage
import FlowServer
import HTTPTypes
import PageKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedTransport
import Synchronization
import TestSupport
import Transport

/// Flow on a phone, its service elsewhere, and a host on which scripted pages run.
@MainActor
struct FlowVisit {
    static let authority = "phone:8080"

    let service: FlowServer
    let app: FlowApp
    let page: FlowPage
    let server: PageServer<FlowWindow>
    let network: SimulatedNetwork
    let token: PageToken

    static func start() async throws -> FlowVisit {
        let network = SimulatedNetwork()
        let service = FlowServer()
        _ = try await network.host("service").listen(service, at: SocketAddress(host: "service", port: 80))
        let app = FlowApp(
            FlowEnvironment(
                http: network.host("phone"),
                clientID: service.project.clientID,
                secrets: InMemorySecretStore([
                    APIManager.clientSecretName: Secret(service.project.clientSecret)
                ]),
                preferences: Preferences(),
                device: SimulatedDeviceInformation(model: "a phone", address: nil),
                address: { ServiceAddress("http://service") }
            )
        )
        let page = FlowPage(app)
        let token = PageToken()
        let server = page.server(token: token, hosts: ["phone"])
        _ = try await network.host("phone").listen(server, at: SocketAddress(host: "phone", port: 8080))
        page.begin()
        return FlowVisit(
            service: service,
            app: app,
            page: page,
            server: server,
            network: network,
            token: token
        )
    }

    private func request(_ path: String, _ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: Self.authority, path: path)
        request.headerFields[.cookie] = "flow-8080=\(token.text)"
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

    /// Sends an action with a secret, and returns the answer's status and text.
    func sendSecret(_ page: ScriptedPage, _ body: String) async throws -> (status: Int, text: String) {
        let answer = try await network.host("browser").send(
            request("/secret?page=\(page.id)", .post),
            body: .text(body),
            timeout: .seconds(30)
        )
        let text = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
        return (answer.head.status.code, text)
    }

    // MARK: The way

    /// From the welcome to the steps.
    func logIn(_ page: ScriptedPage, password: String = "a password") async throws {
        try await page.until("flow") { $0["navigationState"] as? String == "feature1" }
        try await page.act("authentication", #"{"setEmail":{"_0":"ada@example.org"}}"#)
        try await page.act("authentication", #"{"setConsents":{"_0":{"terms":true,"privacy":true}}}"#)
        _ = try await sendSecret(
            page,
            #"{"screen":"authentication","action":{"setPassword":{"_0":"\#(password)"}}}"#
        )
        try await page.act("authentication", #"{"submit":{}}"#)
        try await page.until("flow") { $0["navigationState"] as? String == "feature2" }
    }

    func verify(_ page: ScriptedPage) async throws {
        let code = service.project.verificationCode
        _ = try await sendSecret(
            page,
            #"{"screen":"verification","action":{"setCode":{"_0":"\#(code)"}}}"#
        )
        try await page.act("verification", #"{"submit":{}}"#)
        try await page.until("flow") { $0["navigationState"] as? String == "feature3" }
    }

    private final class Preferences: PreferenceStore {
        private let kept = Mutex<[String: String]>([:])

        func value(for name: String) -> String? { kept.withLock { $0[name] } }

        func set(_ values: [String: String?]) {
            kept.withLock { kept in
                for (name, value) in values { kept[name] = value }
            }
        }
    }
}
