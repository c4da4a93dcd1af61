public import Concurrency

/// How large objects are uploaded in parts, and how long an upload tries to go on.
public struct UploadParts: Sendable, Hashable {
    /// Bytes of each part but the last; what is not larger is sent in one request.
    ///
    /// The hosted service wants 6 MiB (supabase/supabase `apps/docs/content/guides/storage/uploads/resumable-uploads.mdx`).
    public var length: Int
    /// How often in a row an upload may fail without a new byte at the service, and how long it waits before it goes on.
    ///
    /// All in all, it may fail so often for each of its parts.
    public var retries: RetryPolicy
    /// How often an upload that the service has forgotten is started again.
    public var restarts: Int

    /// For uploads of a queue, which tries again by itself from the last checkpoint: a failure ends the call.
    public static let queued: UploadParts = UploadParts(
        retries: RetryPolicy(retries: 0, first: .zero, longest: .zero)
    )

    /// Makes a value of its parts; lengths below 1 count as 1.
    public init(
        length: Int = 6 << 20,
        retries: RetryPolicy = RetryPolicy(
            retries: 5,
            first: .milliseconds(500),
            longest: .seconds(15),
            longestServerWait: .seconds(60)
        ),
        restarts: Int = 2
    ) {
        self.length = max(1, length)
        self.retries = retries
        self.restarts = max(0, restarts)
    }
}
