public import Concurrency
public import Transport

/// How long a call may take, and how often it is sent.
public struct CallPolicy: Sendable, Hashable {
    /// How often and how soon a call is repeated that may be.
    public var retries: RetryPolicy
    /// How long one attempt may stand still.
    public var limits: HTTPLimits
    /// The longest that a call may take with all its attempts, renewals of tokens included; `nil` for as long as it moves.
    public var deadline: Duration?
    /// The longest answer that is read, in bytes.
    public var answerBytes: Int
    /// The longest event of a stream, in bytes, which are in memory at once.
    public var eventBytes: Int

    /// Makes a policy of its parts.
    public init(
        retries: RetryPolicy,
        limits: HTTPLimits = HTTPLimits(each: .seconds(30)),
        deadline: Duration? = .seconds(60),
        answerBytes: Int = 4 << 20,
        eventBytes: Int = 1 << 20
    ) {
        self.retries = retries
        self.limits = limits
        self.deadline = deadline
        self.answerBytes = answerBytes
        self.eventBytes = eventBytes
    }

    /// Each call is sent once, but for what follows a token that is refused: a person sees a failure, and tries again.
    public static let once: CallPolicy = CallPolicy(
        retries: RetryPolicy(retries: 0, first: .zero, longest: .zero)
    )

    /// Three repetitions after half a second, one and two, while a person waits.
    public static let interactive: CallPolicy = CallPolicy(
        retries: RetryPolicy(
            retries: 3,
            first: .milliseconds(500),
            longest: .seconds(4),
            longestServerWait: .seconds(10)
        )
    )
}
