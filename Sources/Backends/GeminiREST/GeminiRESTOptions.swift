public import Concurrency
public import Transport

/// Limits of requests to Gemini, and how they are repeated.
public struct GeminiRESTOptions: Sendable, Hashable {
    /// How long one try of a request may stand still.
    ///
    /// A model may think for a minute before its answer begins.
    public var limits: HTTPLimits
    /// The longest that a call takes, with all its tries and the pauses between them.
    ///
    /// A stream is given up with the first thing that arrives past it, and after ``limits`` of silence at the latest.
    public var deadline: Duration
    /// How a request is repeated that was not sent, or was refused with 429 or 503; requests that change nothing are
    /// repeated after any passing trouble.
    public var retries: RetryPolicy
    /// The most bytes of a whole answer, streamed or not.
    public var answerBytes: Int
    /// The most bytes of one event of a stream, which are in memory at once.
    public var eventBytes: Int

    /// For a person who waits: two more tries within two seconds, and no wait of more than ten that a service asks for.
    public static let interactive = GeminiRESTOptions(
        retries: RetryPolicy(
            retries: 2,
            first: .milliseconds(500),
            longest: .seconds(1),
            longestServerWait: .seconds(10)
        )
    )

    /// Makes options; the defaults suit work that can wait.
    public init(
        limits: HTTPLimits = HTTPLimits(connect: .seconds(10), progress: .seconds(30), head: .seconds(90)),
        deadline: Duration = .seconds(300),
        retries: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(60)),
        answerBytes: Int = 16 << 20,
        eventBytes: Int = 4 << 20
    ) {
        self.limits = limits
        self.deadline = deadline
        self.retries = retries
        self.answerBytes = answerBytes
        self.eventBytes = eventBytes
    }
}
