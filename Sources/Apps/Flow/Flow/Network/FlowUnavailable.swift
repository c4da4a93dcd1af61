public import Foundation
public import ServiceClient

/// The service gave no answer that is its own.
public struct FlowUnavailable: LocalizedError, Sendable, Hashable {
    /// What came back in its place.
    public var failure: ServiceFailure

    /// What a person can do.
    public var errorDescription: String? {
        switch failure.code {
        case .unreachable: "The service cannot be reached. Check the connection, and try again."
        case .interrupted: "The connection broke before the answer was there. Try again."
        case .timedOut: "The service took too long. Try again."
        case .untrusted: "Something else than the service answered. Check the network, and try again."
        case .notConfigured, .signedOut: "The app is not set up for this service."
        case .malformed, .tooLarge, .refused: "The answer of the service cannot be read. Try again."
        case .cancelled: "Cancelled."
        }
    }
}
