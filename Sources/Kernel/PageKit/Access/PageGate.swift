package import HTTPTypes

/// Decides which requests reach the app: those of the browser that was given the token, from a page of this server.
///
/// The token alone is not enough. A foreign page that the same browser shows could send requests with its cookie, and a
/// name that is resolved to a loopback address (DNS rebinding) would make such a page one of the same origin. So the name in
/// `Host` must be one of this server's, and what the browser says about the origin must fit it.
struct PageGate: Sendable {
    /// What a request may do.
    enum Verdict: Hashable {
        /// The address has the token: the answer is the page, with a cookie.
        case enters
        /// The cookie has the token.
        case belongs
        case refused
    }

    private let program: String
    private let token: PageToken
    private let hosts: Set<String>

    /// - Parameter program: What the names of cookies begin with.
    init(of program: String, token: PageToken, hosts: Set<String>) {
        self.program = program
        self.token = token
        self.hosts = hosts
    }

    /// The header field that gives a browser the token; not readable by scripts, and not sent with requests of other sites.
    func cookie(for request: HTTPRequest) -> String {
        "\(cookieName(request))=\(token.text); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Looks at a request.
    ///
    /// - Parameter needsOrigin: Whether the browser always names the origin of such a request, as of those that change something.
    func verdict(on request: HTTPRequest, needsOrigin: Bool) -> Verdict {
        guard let authority = request.authority, hosts.contains(Self.name(in: authority)) else {
            return .refused
        }
        let (path, query) = request.pathAndQuery
        if path == "/", !needsOrigin, let given = query["token"], token.matches(given) { return .enters }
        let origins = request.headerFields[values: .origin]
        guard origins.count <= 1, origins.allSatisfy({ $0 == "http://\(authority)" }),
            !needsOrigin || origins.count == 1
        else { return .refused }
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headerFields[$0] }),
            site != "same-origin", site != "none"
        {
            return .refused
        }
        let name = cookieName(request)
        let isKnown = request.headerFields[values: .cookie]
            .flatMap { $0.split(separator: ";") }
            .map { $0.drop { $0 == " " } }
            .contains { $0.hasPrefix(name + "=") && token.matches($0.dropFirst(name.count + 1)) }
        return isKnown ? .belongs : .refused
    }

    /// Browsers share cookies between the ports of a host: each server has a name of its own.
    private func cookieName(_ request: HTTPRequest) -> String {
        let authority = request.authority ?? ""
        let port = authority.dropFirst(Self.name(in: authority).count).filter(\.isNumber)
        return "\(program)-\(port.isEmpty ? "80" : String(port))"
    }

    /// The host's name without its port, in lower case.
    private static func name(in authority: String) -> String {
        let name =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return name.lowercased()
    }
}

extension HTTPRequest {
    /// The path, and the values of its query by name.
    package var pathAndQuery: (path: Substring, query: [Substring: Substring]) {
        let parts = (path ?? "/")[...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query: [Substring: Substring] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2 { query[sides[0]] = sides[1] }
        }
        return (parts[0], query)
    }
}
