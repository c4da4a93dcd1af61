public import HTTPTypes
public import Transport

/// An answer of the page's server, with the header fields that all of them have.
public struct PageAnswer: Sendable {
    /// How it was answered.
    public var status: HTTPResponse.Status
    /// What the body is, as `Content-Type` has it.
    public var type: String?
    /// The body.
    public var body: HTTPBody
    /// More header fields.
    public var fields: HTTPFields = [:]

    /// Creates an answer with a body of a type.
    public init(status: HTTPResponse.Status, type: String? = nil, body: HTTPBody = .empty) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    /// Plain text, for people who have come without the page.
    public static func text(_ status: HTTPResponse.Status, _ text: String) -> PageAnswer {
        PageAnswer(status: status, type: "text/plain; charset=utf-8", body: .text(text + "\n"))
    }

    /// What never changes under its address; the browser that has the token need not ask for it again.
    public static func unchanging(_ type: String, _ body: HTTPBody) -> PageAnswer {
        var answer = PageAnswer(status: .ok, type: type, body: body)
        answer.fields[.cacheControl] = "private, max-age=86400, immutable"
        return answer
    }

    /// There is nothing at the path.
    public static let notFound: PageAnswer = .text(.notFound, "There is nothing here.")
    /// The method is not one that the path has.
    public static let notPossible: PageAnswer = .text(.methodNotAllowed, "That cannot be done here.")

    /// In place of a picture that a recording does not have.
    package static let missingPicture = PageAnswer(
        status: .ok,
        type: "image/svg+xml",
        body: .bytes(missingPictureFile)
    )
    /// The drawing that it shows.
    package static var missingPictureFile: [UInt8] { PackageResources.missing_svg }

    /// As a server gives it.
    package func response(to request: HTTPRequest) -> (head: HTTPResponse, body: HTTPBody) {
        (head(for: request.authority), request.method == .head ? .empty : body)
    }

    /// In place of a socket.
    package var refusal: WebSocketUpgrade { .refuse(head(for: nil), body) }

    /// The head, which keeps the answer out of caches where it says nothing else, other sites and other roles than its own.
    ///
    /// - Parameter authority: Of the request, which has been checked.
    func head(for authority: String?) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.headerFields = fields
        if let type { response.headerFields[.contentType] = type }
        if fields[.cacheControl] == nil { response.headerFields[.cacheControl] = "no-store" }
        let sockets = authority.map { " ws://\($0)" } ?? ""
        let more = [
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
                    + "connect-src 'self'\(sockets); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
        ]
        for (name, value) in more {
            if let name = HTTPField.Name(name) { response.headerFields[name] = value }
        }
        return response
    }
}
