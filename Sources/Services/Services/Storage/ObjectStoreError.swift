/// Why a store did not do what was asked.
public struct ObjectStoreError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Address or key of the service is not configured.
        case notConfigured
        /// The key is not accepted, or may not do this.
        case unauthorized
        case notFound
        case alreadyExists
        /// The object is not the one that ``PutOptions/condition`` names.
        case conditionFailed
        /// The object is larger than the service allows.
        case tooLarge
        /// The name or the request is not valid; trying again will not help.
        case invalidRequest
        /// This store cannot do it, see ``ObjectStore/abilities``; nothing was sent.
        case unsupported
        /// What is to be stored cannot be read.
        case unreadable
        /// The service failed on its side; trying again may help.
        case serverError
        /// Too many requests; try later.
        case slowDown
        /// The network could not reach the service, or lost it.
        case network
        /// The server could not prove who it is, or does not speak the protocol; a person has to look.
        case untrusted
        case timedOut
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried: `put`, `get`, `info`, `remove`, `list`, `copy`, `move`, `sign`, `discard`.
    public var operation: String
    /// The object's key.
    public var key: String
    /// What came back, as status and text.
    ///
    /// Never contains credentials.
    public var detail: String
    /// How long the service asks its client to wait before the next request; `nil` when it did not say.
    public var retryAfter: Duration?

    /// Whether the request may have taken effect all the same, as where its answer was lost.
    ///
    /// False only where it certainly has not.
    public var mayHaveTakenEffect: Bool

    /// Makes a value of its parts; whether the request may have taken effect follows from the code.
    public init(
        _ code: Code,
        operation: String,
        key: String,
        detail: String = "",
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.operation = operation
        self.key = key
        self.detail = detail
        self.retryAfter = retryAfter
        mayHaveTakenEffect =
            switch code {
            case .serverError, .network, .timedOut, .cancelled: true
            case .notConfigured, .unauthorized, .notFound, .alreadyExists, .conditionFailed, .tooLarge,
                .invalidRequest, .unsupported, .unreadable, .slowDown, .untrusted:
                false
            }
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch code {
        case .serverError, .slowDown, .network, .timedOut, .cancelled: true
        case .notConfigured, .unauthorized, .notFound, .alreadyExists, .conditionFailed, .tooLarge,
            .invalidRequest, .unsupported, .unreadable, .untrusted:
            false
        }
    }

    /// All of it, for people.
    public var description: String {
        let cause = detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
        return "could not \(operation) “\(key)” in the object store: \(cause)"
    }
}
