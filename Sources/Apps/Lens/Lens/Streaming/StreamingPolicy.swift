public import Concurrency

/// What a stream asks of the model, and how it reacts to failures.
public struct StreamingPolicy: Sendable, Hashable {
    /// The service's name for the model.
    public var model: String
    /// When the model is asked to speak.
    public var commentary: CommentaryPolicy
    /// How a lost session is opened again.
    public var reconnect: RetryPolicy
    /// A session that lasted so long starts the count of reconnections again; at least ``shortestHealth``.
    ///
    /// It bounds how often a service that ends every session is dialled, so it cannot be nothing.
    public var healthyAfter: Duration { didSet { healthyAfter = max(Self.shortestHealth, healthyAfter) } }
    /// Kept in reserve before the moment at which the service has announced to close.
    public var farewellMargin: Duration
    /// How long a leaving session waits for a fresh resumption handle, which often follows the end of a turn.
    public var handleWait: Duration
    /// A session that went on from an earlier one, and in which the model has said nothing for so long after a question, is
    /// given up for a fresh one: resumed sessions are known to stay silent for good.
    public var resumedSilence: Duration

    /// The least that ``healthyAfter`` can be.
    public static let shortestHealth = Duration.seconds(1)

    /// Creates a policy; a lost session is opened again up to five times, after 1, 2, 4, 8 and 16 seconds.
    public init(
        model: String,
        commentary: CommentaryPolicy = CommentaryPolicy(),
        reconnect: RetryPolicy = RetryPolicy(retries: 5, first: .seconds(1), longest: .seconds(16)),
        healthyAfter: Duration = .seconds(30),
        farewellMargin: Duration = .seconds(3),
        handleWait: Duration = .seconds(1),
        resumedSilence: Duration = .seconds(60)
    ) {
        self.model = model
        self.commentary = commentary
        self.reconnect = reconnect
        self.healthyAfter = max(Self.shortestHealth, healthyAfter)
        self.farewellMargin = farewellMargin
        self.handleWait = handleWait
        self.resumedSilence = resumedSilence
    }

    /// The greatest number of sessions that one stream tries to open in a time, the first included, whatever the service does.
    ///
    /// Between two sessions that were healthy at most `reconnect.retries` others are tried, and each healthy one takes
    /// ``healthyAfter`` at least; a service that never gives a healthy session is tried `1 + reconnect.retries` times in all.
    public func mostDials(within time: Duration) -> Int {
        // Exact for all numbers below 2^53.
        let most = ((max(.zero, time) / healthyAfter).rounded(.down) + 1) * (Double(reconnect.retries) + 1)
        return Int(exactly: most) ?? .max
    }
}
