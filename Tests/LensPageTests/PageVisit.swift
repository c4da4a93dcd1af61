import HTTPTypes
import PageKit
import SimulatedTransport
import TestSupport
import Transport

/// A browser's host, and what it needs of the page's server.
protocol PageVisit {
    var token: PageToken { get }
    var pages: SimulatedHost { get }
}

extension PageWorld {
    /// Where the server is.
    static let authority = "phone:8080"
}

extension PageVisit {
    /// A request as a browser makes it from the page.
    func request(
        _ path: String,
        _ method: HTTPRequest.Method = .get,
        cookie: String? = nil,
        origin: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: PageWorld.authority, path: path)
        request.headerFields[.cookie] = cookie ?? "other=1; lens-8080=\(token.text)"
        request.headerFields[.origin] = origin
        return request
    }

    /// A request with an action that has a secret.
    func secret(_ page: String, origin: String? = "http://\(PageWorld.authority)") -> HTTPRequest {
        request("/secret?page=\(page)", .post, origin: origin)
    }

    func status(_ request: HTTPRequest, _ body: HTTPBody = .empty) async throws -> Int {
        let answer = try await pages.send(request, body: body, timeout: .seconds(30))
        _ = try await answer.body.collect(upTo: 10_000_000)
        return answer.head.status.code
    }

    /// The handshake of a page's socket.
    func handshake(cookie: String? = nil, origin: String? = "http://\(PageWorld.authority)") -> HTTPRequest {
        var request = request("/socket", cookie: cookie, origin: origin)
        request.scheme = "ws"
        return request
    }

    func connect(_ request: HTTPRequest) async throws(TransportError) -> any WebSocket {
        try await pages.connect(request, limits: WebSocketLimits(), timeout: .seconds(30))
    }

    /// Opens a page that says hello.
    func open(_ hello: String = "{}") async throws -> ScriptedPage {
        let page = ScriptedPage(try await connect(handshake()))
        try await page.send(#"{"hello":\#(hello)}"#)
        _ = try await page.frame { $0.welcome != nil }
        return page
    }
}
