/// A trouble that the service or a proxy before it makes, as data.
///
/// Faults of the connection itself, such as resets and loss, belong to the network and are not here.
public struct StorageFault: Sendable, Hashable, Codable {
    /// What happens to a request.
    public enum Effect: Sendable, Hashable, Codable {
        /// Answered at once with this status and an HTML page, as proxies do; nothing is read or changed.
        case page(status: Int)
        /// Answered at once in the service's own form; nothing is read or changed.
        case refusal(httpStatus: Int, status: Int, error: String, message: String)
        /// Answered as usual, that much later.
        case delay(milliseconds: Int)
        /// Takes effect; then the answer is lost, and a proxy tells so with 502.
        case loseAnswerWithPage
        /// Takes effect; then the connection breaks inside the answer.
        case loseAnswerInBody
        /// Takes effect; then nothing is heard for that long, until a proxy gives up with 504.
        case loseAnswerInSilence(milliseconds: Int)
    }

    /// What happens.
    public var effect: Effect
    /// The kind of request that is meant; `nil` means any.
    public var operation: StorageOperation?
    /// How many requests it still happens to.
    public var count: Int
    /// How many matching requests pass unharmed before.
    public var skipping: Int

    /// Makes a fault, by default for the next request of any kind.
    public init(
        _ effect: Effect,
        on operation: StorageOperation? = nil,
        count: Int = 1,
        skipping: Int = 0
    ) {
        self.effect = effect
        self.operation = operation
        self.count = count
        self.skipping = skipping
    }

    /// The service's own failure, for that many requests.
    public static func serverError(
        on operation: StorageOperation? = nil,
        count: Int = 1,
        skipping: Int = 0
    ) -> StorageFault {
        let effect = Effect.refusal(
            httpStatus: 500,
            status: 500,
            error: "Internal",
            message: "Internal Server Error"
        )
        return StorageFault(effect, on: operation, count: count, skipping: skipping)
    }
}

/// The kinds of request.
public enum StorageOperation: String, Sendable, Hashable, Codable, CaseIterable {
    case upload, download, info, list, move, copy, remove, sign, bucket
}

extension Route {
    var operation: StorageOperation {
        switch self {
        case .listBuckets, .createBucket, .bucket, .updateBucket, .deleteBucket, .emptyBucket: .bucket
        case .upload, .uploadSigned: .upload
        case .download, .readSigned: .download
        case .info: .info
        case .list, .listPaged: .list
        case .move: .move
        case .copy: .copy
        case .removeMany, .remove: .remove
        case .sign, .signMany, .signUpload: .sign
        }
    }
}
