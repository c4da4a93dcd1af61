internal import AppKernel
internal import Services

/// Why an upload failed.
public struct UploadError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of failure that call for different answers.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// Address or key of the service is not configured.
        case notConfigured
        /// The file is not there any more.
        case fileMissing
        /// The file cannot be read.
        case fileUnreadable
        /// The service does not take files of this size.
        case tooLarge
        /// The service does not accept the key.
        case unauthorized
        /// Something else is stored under the item's name.
        case keyTaken
        /// The request was refused; trying again will not help.
        case rejected
        case network
        /// The service failed on its side.
        case server
        /// The app has ended several times while it uploaded the item.
        case interrupted
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried and what came back.
    ///
    /// Never contains credentials.
    public var detail: String

    /// Creates an error.
    public init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ error: ObjectStoreError) {
        let code: Code =
            switch error.code {
            case .notConfigured: .notConfigured
            case .unauthorized: .unauthorized
            case .tooLarge: .tooLarge
            case .alreadyExists: .keyTaken
            case .unreadable: .fileUnreadable
            case .notFound, .invalidRequest, .untrusted, .unsupported, .conditionFailed: .rejected
            case .network, .timedOut, .cancelled: .network
            case .serverError, .slowDown: .server
            }
        self.init(code, detail: error.description)
    }

    /// What went wrong and what to do.
    public var description: String { "upload failed: \(detail)\(advice)" }

    private var advice: String {
        switch code {
        case .notConfigured, .unauthorized: ". Start the app with the address and the key of the storage."
        case .tooLarge: ". Raise the limit of the bucket."
        case .fileMissing: ". The file was deleted; remove the item."
        case .interrupted: ". Try again, or remove the item."
        case .fileUnreadable, .keyTaken, .rejected, .network, .server: ""
        }
    }

    /// Why the queue has not done an upload.
    init(_ reason: OutboxReason<UploadError>) {
        switch reason {
        case .failed(let error): self = error
        case .stalled: self.init(.network, detail: "\(reason)")
        case .expired: self.init(.rejected, detail: "\(reason)")
        case .interrupted: self.init(.interrupted, detail: "\(reason)")
        case .noted(let text): self.init(stored: text)
        }
    }

    /// Reads what the first edition of the queue has kept as text; other text is a failure of the service.
    private init(stored: String) {
        let parts = stored.split(separator: ": ", maxSplits: 1)
        guard let first = parts.first, let code = Code(rawValue: String(first)) else {
            self.init(.server, detail: stored)
            return
        }
        self.init(code, detail: parts.count > 1 ? String(parts[1]) : "")
    }
}
