internal import AppKernel

/// Where the upload of an item stands.
public enum UploadStatus: Sendable, Hashable, Codable {
    /// Not asked for.
    case none
    /// Waits for its turn.
    case pending
    /// Is under way.
    case uploading
    /// Is done.
    case completed
    /// Has failed `retries` times, the last time for `error`; `retriesItself` when another attempt is planned.
    case failed(UploadError, retries: Int, retriesItself: Bool)

    /// What the queue says of an entry.
    init(_ entry: OutboxEntry<Upload>) {
        self =
            switch entry.state {
            case .pending: .pending
            case .inWork: .uploading
            case .done: .completed
            case .failed:
                .failed(
                    entry.isSetAside
                        ? UploadError(.interrupted, detail: "\(entry.reason ?? .noted(""))")
                        : UploadError(entry.reason ?? .noted("")),
                    retries: entry.failures,
                    retriesItself: entry.due != nil
                )
            }
    }

    /// What the item's badge shows.
    public var badge: UploadBadge {
        switch self {
        case .none: .none
        case .pending: .pending
        case .uploading: .uploading
        case .completed: .greenCheck
        case .failed: .redCross
        }
    }

    /// Why it has failed the last time; `nil` where it has not.
    public var failure: UploadError? {
        if case .failed(let error, _, _) = self { error } else { nil }
    }

    /// Whether the user may ask to try again.
    public var offersRetry: Bool {
        if case .failed = self { true } else { false }
    }
}
