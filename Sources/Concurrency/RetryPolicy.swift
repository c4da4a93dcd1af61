/// How often and how soon a failed effort is repeated: exponential backoff with jitter.
public struct RetryPolicy: Sendable, Hashable {
    /// Automatic repetitions after the first failure; 0 for none.
    public var retries: Int
    /// The wait before the first repetition; each later wait is twice the one before.
    public var first: Duration
    /// The longest wait, jitter not counted.
    public var longest: Duration
    /// The largest random addition, as a fraction of the wait (0.1 adds 0 to 10 %), so that many clients part.
    public var jitter: Double
    /// The longest wait that a server may ask for, jitter not counted; whatever it asks for beyond that counts as this
    /// much, so that no server can stop the retries indefinitely.
    public var longestServerWait: Duration

    /// Creates a policy; negative numbers count as zero.
    public init(
        retries: Int,
        first: Duration,
        longest: Duration,
        jitter: Double = 0.1,
        longestServerWait: Duration = .seconds(3600)
    ) {
        self.retries = max(0, retries)
        self.first = max(.zero, first)
        self.longest = max(self.first, longest)
        self.jitter = max(0, jitter)
        self.longestServerWait = max(.zero, longestServerWait)
    }

    /// Returns the wait before repetition number `retry`, counted from 1, without jitter; `nil` past the limit.
    public func wait(beforeRetry retry: Int) -> Duration? {
        guard retry >= 1, retry <= retries else { return nil }
        var wait = first
        var doublings = retry - 1
        while doublings > 0, wait > .zero, wait < longest {
            wait = wait * 2
            doublings -= 1
        }
        return min(wait, longest)
    }

    /// Returns the wait before repetition number `retry` with a fresh random addition; `nil` past the limit.
    ///
    /// - Parameters:
    ///   - retry: Counts from 1.
    ///   - retryAfter: The wait that the server asks for. The repetition is never earlier, up to ``longestServerWait``.
    public func jitteredWait(beforeRetry retry: Int, retryAfter: Duration? = nil) -> Duration? {
        guard let wait = jitteredWait(beforeRetry: retry) else { return nil }
        return max(wait, jitteredServerWait(retryAfter) ?? .zero)
    }

    /// Returns the wait that a server asks for, as far as it may, with a fresh random addition; `nil` if it asks for none.
    public func jitteredServerWait(_ retryAfter: Duration?) -> Duration? {
        guard let retryAfter, retryAfter > .zero else { return nil }
        return jittered(min(retryAfter, longestServerWait))
    }

    private func jitteredWait(beforeRetry retry: Int) -> Duration? {
        wait(beforeRetry: retry).map { jittered($0) }
    }

    private func jittered(_ wait: Duration) -> Duration {
        let wait = wait.sleepable
        return (wait + wait * Double.random(in: 0...jitter)).sleepable
    }
}
