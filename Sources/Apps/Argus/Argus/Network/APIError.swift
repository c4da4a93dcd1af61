public import Foundation
internal import ServiceClient

/// Why a call of the hub failed.
public enum APIError: LocalizedError, Sendable, Hashable {
    /// Neither the hub nor the relay was reached, or the answer broke off.
    case network
    /// Nobody is signed in, or the hub does not take the token.
    case unauthorized
    /// The hub does not have what was asked for.
    case notFound
    /// The hub, or something in front of it, answered with another status.
    case server(status: Int)
    /// The answer is not what the hub's API says.
    case decoding

    /// What to tell the person.
    public var errorDescription: String? {
        switch self {
        case .network: "Your hub cannot be reached. Check the network, and try again."
        case .unauthorized: "Your hub does not know this device any more. Pair it again."
        case .notFound: "Your hub does not have this any more."
        case .server(let status): "Your hub could not answer (\(status)). Try again in a while."
        case .decoding: "The answer of your hub cannot be read. Update the app or the hub."
        }
    }

    /// What a failure means for the app; `nil` where the task was cancelled.
    init?(_ failure: ServiceFailure) {
        switch failure.code {
        case .cancelled: return nil
        case .notConfigured, .unreachable, .interrupted, .timedOut, .untrusted: self = .network
        case .signedOut: self = .unauthorized
        case .tooLarge, .malformed: self = .decoding
        case .refused:
            switch failure.status {
            case 401: self = .unauthorized
            case 404: self = .notFound
            default: self = .server(status: failure.status ?? 0)
            }
        }
    }
}

extension ServiceFailure {
    /// The same for the app.
    var asAppError: any Error { APIError(self) ?? CancellationError() }
}
