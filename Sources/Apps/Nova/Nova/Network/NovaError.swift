public import Foundation
internal import ServiceClient

/// Why Nova did not do what was asked, in the words in which a person reads it.
///
/// It is stored with work that has failed, so the names of its cases are a file format.
public enum NovaError: LocalizedError, Codable, Sendable, Hashable {
    /// Nova was not reached, the answer broke off, or it was somebody else's.
    case noConnection
    /// E-mail address or password are wrong.
    case wrongCredentials
    /// Nobody is signed in, or Nova does not take the token.
    case unauthorized
    /// Nova does not let this person do that.
    case forbidden
    /// Nova does not have it.
    case notFound
    /// Something of what was sent is wrong: Nova's words, and those for each field.
    case invalid(message: String, fields: [String: String])
    /// Too many requests.
    case tooMany
    /// Nova has the same action in work.
    case inProgress
    /// Nova could not answer.
    ///
    /// - Parameters:
    ///   - status: The status of HTTP.
    ///   - requestID: What Nova calls the request in its logs; `nil` where it does not say.
    case server(status: Int, requestID: String?)
    /// No place for the picture was given: nothing was queued.
    case uploadNotPrepared
    /// The storage has refused the picture; `code` is its own word, such as `AccessDenied`.
    case storage(code: String)
    /// This device cannot keep what it must.
    case notKept
    /// This device cannot forget somebody who has signed out.
    case notForgotten
    /// So much waits for Nova already that nothing more of its kind is kept.
    case tooMuchWaits
    /// The picture cannot be read.
    case noPicture
    /// Signing in this way is not possible here, and why.
    case unavailable(String)

    /// What to tell the person.
    public var errorDescription: String? { text }

    var text: String {
        switch self {
        case .noConnection: "No connection"
        case .wrongCredentials: "The e-mail address or the password is wrong."
        case .unauthorized: "You are signed out. Sign in again."
        case .forbidden: "You may not do that."
        case .notFound: "It is not there any more."
        case .invalid(let message, _): message
        case .tooMany: "That was too often. Wait a while, and try again."
        case .inProgress: "This is being done already."
        case .server(let status, let request):
            "Nova could not answer (\(status)\(request.map { ", request \($0)" } ?? "")). Try again in a while."
        case .uploadNotPrepared: "Failed to prepare upload"
        case .storage(let code): "The picture was not stored (\(code))."
        case .notKept: "This device cannot keep it. Check its storage, and try again."
        case .notForgotten:
            "You are signed out, but this device could not forget everything. Check its storage, sign in, and sign out again."
        case .tooMuchWaits:
            "Too much waits to be sent already. Let some of it be sent, or discard it, and try again."
        case .noPicture: "This picture cannot be read."
        case .unavailable(let why): why
        }
    }

    /// What a failure means for the app.
    init(_ failure: ServiceFailure) {
        switch failure.code {
        case .signedOut: self = .unauthorized
        case .cancelled, .notConfigured, .unreachable, .interrupted, .timedOut, .untrusted, .malformed,
            .tooLarge:
            self = .noConnection
        case .refused: self.init(refusal: failure)
        }
    }

    private init(refusal failure: ServiceFailure) {
        let body = RefusalBody(failure.body)
        switch failure.status ?? 0 {
        case 300..<400: self = .noConnection
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 404: self = .notFound
        case 409 where body.error == "idempotency_in_progress": self = .inProgress
        case 429: self = .tooMany
        case 400..<500:
            self = .invalid(message: body.message ?? "Nova does not take this.", fields: body.fields ?? [:])
        case let status: self = .server(status: status, requestID: body.requestID)
        }
    }
}
