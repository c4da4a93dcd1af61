package import HTTPTypes
package import Transport

/// What every server of the page does first: it looks who comes, and gives those who may come in the page's own files.
package struct PageEntrance: Sendable {
    private let assets: PageAssets
    private let gate: PageGate
    private let token: PageToken

    /// Creates the entrance of a server.
    ///
    /// - Parameters:
    ///   - assets: The page's files.
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call the server by, in lower case.
    package init(_ assets: PageAssets, token: PageToken, hosts: Set<String>) {
        self.assets = assets
        gate = PageGate(of: assets.program, token: token, hosts: hosts)
        self.token = token
    }

    /// What is to be opened in a browser, with the token.
    package func address(at authority: String) -> String { "http://\(authority)/?token=\(token.text)" }

    /// Response to a denied request, a first visit with the token, or a request for a file of the page; `nil` otherwise.
    package func answer(to request: HTTPRequest) -> PageAnswer? {
        let isReading = request.isReading
        switch gate.verdict(on: request, needsOrigin: !isReading) {
        case .refused: return refused
        case .enters:
            var answer = Self.html(assets.entrance)
            answer.fields[.setCookie] = gate.cookie(for: request)
            return answer
        case .belongs: break
        }
        guard isReading else { return nil }
        let path = request.pathAndQuery.path
        if path == "/" { return Self.html(assets.page) }
        return assets.file(path).map { PageAnswer(status: .ok, type: $0.type, body: .bytes($0.bytes)) }
    }

    /// Why a request is not for the page's socket, or may not open it; `nil` when it may.
    package func refusal(of request: HTTPRequest) -> PageAnswer? {
        guard gate.verdict(on: request, needsOrigin: true) == .belongs else { return refused }
        return request.pathAndQuery.path == "/socket" ? nil : .notFound
    }

    /// The most sockets of pages at once.
    package static let tabLimit = 16

    /// The answer to who asks by a plain request whether a socket could be opened: scripts cannot see why one was refused.
    package func wordOnSocket(hasRoom: Bool) -> PageAnswer {
        hasRoom ? .text(.upgradeRequired, "A WebSocket can be opened here.") : tooManyTabs
    }

    /// The answer to those who may not come in.
    private var refused: PageAnswer {
        .text(
            .forbidden,
            "This page belongs to somebody. Open the address that \(assets.program) has printed, in this browser."
        )
    }

    /// The answer to one tab too many.
    package var tooManyTabs: PageAnswer {
        .text(.serviceUnavailable, "\(assets.name) is open in too many tabs. Close some of them.")
    }

    /// The limits of the page's socket.
    package static let socketLimits = WebSocketLimits(
        messageBytes: PageMessage.byteLimit,
        bufferedMessages: 64,
        bufferedBytes: 4 * PageMessage.byteLimit,
        keepAlive: WebSocketKeepAlive(interval: .seconds(10), silence: .seconds(30))
    )

    private static func html(_ bytes: [UInt8]) -> PageAnswer {
        PageAnswer(status: .ok, type: "text/html; charset=utf-8", body: .bytes(bytes))
    }
}

extension HTTPRequest {
    /// Whether it changes nothing.
    package var isReading: Bool { method == .get || method == .head }
}
