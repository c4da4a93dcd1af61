import Foundation
import HTTPTypes
import JPEG
import Nova
import NovaServer
import PeerKit
import S3Server
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import Synchronization
import Testing
import Transport

/// A phone with the app, Nova with its storage, and the network between them, inside the current simulation.
@MainActor
final class NovaFixture {
    let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(5))))
    let nova: NovaServer
    let secrets = InMemorySecretStore()
    let monitor = SimulatedNetworkMonitor()
    let http: NotedHTTP
    let photos = ScriptedPhotos()
    let identities: ScriptedIdentities
    let disk: SimulatedDisk
    private(set) var app: NovaApp
    private(set) var screens: NovaScreens

    /// The person who uses the app.
    let ada: NovaUser

    /// Starts the servers, and launches the app.
    ///
    /// - Parameter isSignedIn: Whether Ada signs in, and sees the feed.
    init(_ project: NovaProject = .seeded(), isSignedIn: Bool = true) async throws {
        nova = NovaServer(project)
        ada = project.users[0]
        _ = try await network.host("nova").listen(nova, at: SocketAddress(host: "nova", port: 8080))
        _ = try await network.host("s3").listen(nova.storage, at: SocketAddress(host: "s3", port: 9000))
        let phone = network.host("phone")
        http = NotedHTTP(phone)
        let simulation = try #require(Simulation.current)
        disk = SimulatedDisk(node: simulation.node("phone"))
        identities = ScriptedIdentities(nova.apple)
        app = try Self.makeApp(http, secrets, disk, monitor, identities, photos)
        screens = app.makeScreens()
        screens.appear()
        await app.launch()
        await settle(.milliseconds(1))
        if isSignedIn { try await signIn() }
    }

    private static func makeApp(
        _ http: NotedHTTP,
        _ secrets: InMemorySecretStore,
        _ disk: SimulatedDisk,
        _ monitor: SimulatedNetworkMonitor,
        _ identities: ScriptedIdentities,
        _ photos: ScriptedPhotos
    ) throws -> NovaApp {
        try NovaApp(
            NovaEnvironment(
                http: http,
                secrets: secrets,
                databasePath: disk.databasePath("nova.sqlite"),
                network: monitor,
                identities: identities,
                photos: photos
            ) { ServiceAddress("http://nova:8080") }
        )
    }

    /// Starts the app again, as after its process has ended.
    func relaunch() async throws {
        screens.disappear()
        await app.shutdown()
        try await start()
    }

    /// Starts the app with what is on the disk, whatever has become of an earlier one.
    func start() async throws {
        app = try Self.makeApp(http, secrets, disk, monitor, identities, photos)
        screens = app.makeScreens()
        screens.appear()
        await app.launch()
    }

    /// Signs in, and waits until the feed is shown.
    func signIn(_ user: NovaUser? = nil) async throws {
        await enter(user?.email ?? ada.email, user?.password ?? ada.password)
        await settle()
        try #require(screens.root.state.root == .main)
    }

    /// Types and sends credentials.
    func enter(_ email: String, _ password: String) async {
        await screens.signIn.send(.setEmail(email))
        await screens.signIn.send(.setPassword(EnteredSecret(password)))
        await screens.signIn.send(.submit)
    }

    /// Lets time go on.
    func settle(_ time: Duration = .milliseconds(200)) async { try? await Task.sleep(for: time) }

    /// Cuts the phone off, and has the system notice.
    func goOffline() async {
        network.isolate("phone")
        monitor.report(isConnected: false)
        await settle(.milliseconds(1))
    }

    /// The network is back, and the system notices.
    func goOnline() {
        network.heal()
        monitor.report(isConnected: true)
    }

    /// The first post of the feed that Ada does not like, or likes.
    func post(isLiked: Bool) throws -> PostCard {
        try #require(screens.feed.state.posts.first { $0.post.isLiked == isLiked })
    }

    /// A post of the feed as it is shown.
    func shown(_ postID: String) throws -> Post {
        try #require(screens.feed.state.posts.first { $0.id == postID }).post
    }

    /// The events that Nova has counted, by name.
    func tracked(_ name: String) -> [JSONValue] { nova.analytics.filter { $0["name"]?.string == name } }
}

/// A client whose requests are noted, and some of whose answers a test changes.
final class NotedHTTP: HTTPClient {
    /// What becomes of a request.
    enum Interference: Sendable {
        /// Its answer comes so much later.
        case late(Duration)
        /// It gets nowhere, and this is the answer.
        case answer(status: Int, body: String)
    }

    struct Sent: Sendable {
        let request: HTTPRequest
        let body: [UInt8]
        /// When it was sent.
        let instant = ContinuousClock.now

        /// The body, where it is JSON.
        var json: JSONValue { (try? JSONValue(json: body)) ?? .null }
        /// The key of the intent.
        var key: String? { request.headerFields.value("Idempotency-Key") }
        /// `GET /feed?page=0&limit=20`.
        var line: String { "\(request.method) \(request.path ?? "")" }
    }

    private let base: any HTTPClient
    private let requests = Mutex<[Sent]>([])
    private let interferences = Mutex<[(line: String, interference: Interference)]>([])

    init(_ base: any HTTPClient) { self.base = base }

    /// What was sent, oldest first, but for analytics.
    var sent: [Sent] { requests.withLock(\.self).filter { $0.request.path != "/analytics/events" } }

    /// The batches of events that were sent.
    var batches: [Sent] { requests.withLock(\.self).filter { $0.request.path == "/analytics/events" } }

    /// What was sent with a method to paths that begin and end so.
    func sent(_ method: HTTPRequest.Method, _ prefix: String, _ suffix: String = "") -> [Sent] {
        sent.filter {
            let path = ($0.request.path ?? "").prefix { $0 != "?" }
            return $0.request.method == method && path.hasPrefix(prefix) && path.hasSuffix(suffix)
        }
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let bytes = try await body.collect(upTo: 32 << 20)
        let sent = Sent(request: request, body: bytes)
        requests.withLock { $0.append(sent) }
        let interference = interferences.withLock { all in
            all.firstIndex { sent.line.hasPrefix($0.line) }.map { all.remove(at: $0).interference }
        }
        if case .answer(let status, let body)? = interference {
            return (HTTPResponse(status: HTTPResponse.Status(code: status)), .bytes(Array(body.utf8)))
        }
        let answer = try await base.send(request, body: body, limits: limits)
        if case .late(let time)? = interference { try? await Task.sleep(for: time) }
        return answer
    }

    /// Interferes with the next request that begins so, such as `GET /feed`, as often as it is called.
    func interfere(_ line: String, _ interference: Interference) {
        interferences.withLock { $0.append((line, interference)) }
    }
}

/// Pictures as a test gives them.
final class ScriptedPhotos: PhotoSource {
    private let next = Mutex<[UInt8]?>(nil)

    /// What the person picks next; `nil` for cancelling.
    func set(_ file: [UInt8]?) { next.withLock { $0 = file } }

    func pick() async throws(NovaError) -> [UInt8]? { next.withLock(\.self) }

    /// A JPEG file with colours that change from left to right.
    static func picture(_ width: Int, _ height: Int, quality: Int = 95) throws -> [UInt8] {
        let pixels = PixelBuffer(size: PixelSize(width: width, height: height), layout: .rgb)
        var line: [UInt8] = []
        for column in 0..<width { line += [UInt8(255 * column / width), UInt8((column * 37) % 256), 90] }
        let pattern = line
        unsafe pixels.withMutableBytes { bytes in
            for row in 0..<height {
                let start = row * pattern.count
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + pattern.count])
                    .copyBytes(from: pattern)
            }
        }
        return try JPEGEncoder().encode(pixels, quality: quality)
    }
}

/// Identity tokens of the simulated issuer, as a test wants them.
final class ScriptedIdentities: IdentityTokenProvider {
    enum Answer: Sendable { case token, noToken, cancelled }

    private let issuer: AppleIssuer
    private let answer = Mutex((Answer.token, String?.none))

    init(_ issuer: AppleIssuer) { self.issuer = issuer }

    /// What the person does next, and the name that is given with it.
    func set(_ next: Answer, name: String? = nil) { answer.withLock { $0 = (next, name) } }

    func authorize(nonce: String) async throws(NovaError) -> AppleAuthorization? {
        let (next, name) = answer.withLock { $0 }
        guard next != .cancelled else { return nil }
        let token = issuer.identityToken(of: "apple-ada", nonce: nonce)
        return AppleAuthorization(
            identityToken: next == .noToken ? nil : Secret(token),
            user: "apple-ada",
            email: name == nil ? nil : "ada@icloud.example",
            fullName: name
        )
    }
}
