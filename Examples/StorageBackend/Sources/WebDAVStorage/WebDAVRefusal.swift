import ObjectTransfer
import ServiceClient
import Services

/// What an answer that is not a success says.
struct WebDAVRefusal: StoreRefusal {
    private let status: Int
    private let text: String

    /// - Returns: `nil` for a failure that is no answer.
    init?(_ failure: ServiceFailure) {
        guard failure.code == .refused, let status = failure.status else { return nil }
        self.status = status
        text = StoreText.excerpt(of: String(decoding: failure.body.prefix(1200), as: UTF8.self))
    }

    /// Source: RFC 9110 section 15, RFC 4918 section 11.
    var code: ObjectStoreError.Code {
        switch status {
        // A redirect is not followed: the login would go to wherever it leads.
        case ..<400: .serverError
        case 401, 403: .unauthorized
        case 404, 410: .notFound
        case 408, 504: .timedOut
        case 412: .alreadyExists
        case 413: .tooLarge
        case 429, 503: .slowDown
        // Somebody has a lock, or the disk is full: both may pass.
        case 423, 425, 500...: .serverError
        default: .invalidRequest
        }
    }

    var detail: String { text.isEmpty ? "HTTP \(status)" : "HTTP \(status), \(text)" }
}
