import Concurrency
import Foundation
import HTTPTypes
import JPEG
import Nova
import NovaPage
import NovaServer
import PageKit
import S3Server
import ServiceClient
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// A phone that serves the page of Nova, and a Nova with its storage, inside the current simulation.
@MainActor
struct NovaVisit {
    static let authority = "phone:8080"

    let nova: NovaServer
    let app: NovaApp
    let page: NovaPage
    let server: PageServer<NovaWindow>
    let network: SimulatedNetwork
    let token: PageToken
    let world: NotedWorld

    static func start() async throws -> NovaVisit {
        let network = SimulatedNetwork()
        let nova = NovaServer(.seeded(users: 4, posts: 25))
        _ = try await network.host("nova").listen(nova, at: SocketAddress(host: "nova", port: 8080))
        _ = try await network.host("s3").listen(nova.storage, at: SocketAddress(host: "s3", port: 9000))
        let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
        let app = try NovaApp(
            NovaEnvironment(
                http: network.host("phone"),
                secrets: InMemorySecretStore(),
                databasePath: disk.databasePath("nova.sqlite"),
                photos: OfferedPhotos()
            ) { ServiceAddress("http://nova:8080") }
        )
        let world = NotedWorld(try picture(64, 48, red: 200))
        let token = PageToken()
        let page = NovaPage(app, over: network.host("phone"), world: world)
        let server = page.server(token: token, hosts: ["phone"])
        _ = try await network.host("phone").listen(server, at: SocketAddress(host: "phone", port: 8080))
        await app.launch()
        return NovaVisit(
            nova: nova,
            app: app,
            page: page,
            server: server,
            network: network,
            token: token,
            world: world
        )
    }

    /// A JPEG file of one colour.
    static func picture(_ width: Int, _ height: Int, red: UInt8) throws -> [UInt8] {
        let pixels = PixelBuffer(size: PixelSize(width: width, height: height), layout: .rgb)
        unsafe pixels.withMutableBytes { bytes in
            for index in 0..<bytes.count { unsafe bytes[index] = index.isMultiple(of: 3) ? red : 60 }
        }
        return try JPEGEncoder().encode(pixels, quality: 95)
    }

    private func request(_ path: String, _ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: Self.authority, path: path)
        request.headerFields[.cookie] = "nova-8080=\(token.text)"
        request.headerFields[.origin] = "http://\(Self.authority)"
        return request
    }

    /// Opens a page that says hello.
    func open(on host: String = "browser") async throws -> ScriptedPage {
        var handshake = request("/socket", .get)
        handshake.scheme = "ws"
        let socket = try await network.host(host).connect(
            handshake,
            limits: WebSocketLimits(),
            timeout: .seconds(30)
        )
        let page = ScriptedPage(socket)
        try await page.send(#"{"hello":{}}"#)
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

    /// Sends a file or an action with a secret.
    func post(
        _ path: String,
        _ body: [UInt8],
        from page: String
    ) async throws -> HTTPResponse.Status {
        let answer = try await network.host("browser").send(
            request("\(path)?page=\(page)", .post),
            body: .bytes(body),
            timeout: .seconds(30)
        )
        _ = try await answer.body.collect(upTo: 1 << 20)
        return answer.head.status
    }

    /// Signs Ada in, and waits for the feed.
    func signIn(_ page: ScriptedPage) async throws {
        let ada = nova.project.users[0]
        try await page.until("root") { $0["root"] as? String == "signIn" }
        try await page.act("signIn", #"{"setEmail":{"_0":"\#(ada.email)"}}"#)
        let secret = #"{"screen":"signIn","action":{"setPassword":{"_0":"\#(ada.password)"}}}"#
        #expect(try await post("/secret", Array(secret.utf8), from: page.id) == .ok)
        try await page.act("signIn", #"{"submit":{}}"#)
        try await page.until("feed") { !cards($0).isEmpty }
    }

    /// The posts in the state of a screen.
    func cards(_ state: [String: Any]) -> [[String: Any]] { state["posts"] as? [[String: Any]] ?? [] }

    /// The address at the page's server of a picture of Nova.
    func address(of picture: String) -> String {
        "/pictures?at=\(picture.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
}

/// A world that notes what is done in it.
@MainActor
final class NotedWorld: SurroundingsControls {
    nonisolated let states: Published<SurroundingsState>
    private nonisolated let file: [UInt8]
    private let current: CurrentValue<SurroundingsState>
    private(set) var acts = 0

    init(_ file: [UInt8]) {
        self.file = file
        current = CurrentValue(SurroundingsState(email: "ada@nova.example", password: "p", photos: 1))
        states = current.published
    }

    func setAeroplaneMode(_ isOn: Bool) async { current.update { $0.isAeroplaneModeOn = isOn } }
    func act() async { acts += 1 }
    nonisolated func photo(_ number: Int) -> [UInt8]? { number == 0 ? file : nil }
}
