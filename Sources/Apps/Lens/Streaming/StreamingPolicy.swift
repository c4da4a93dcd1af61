public import AppKernel

/// What a stream asks of the model, and how it reacts to failures.
public struct StreamingPolicy: Sendable, Hashable {
    /// The service's name for the model.
    public var model: String
    /// When the model is asked to speak.
    public var commentary: CommentaryPolicy
    /// How a lost session is opened again.
    public var reconnect: RetryPolicy
    /// A session that lasted so long starts the count of reconnections again.
    public var healthyAfter: Duration
    /// Kept in reserve before the moment at which the service has announced to close.
    public var farewellMargin: Duration
    /// How long a leaving session waits for a fresh resumption handle, which often follows the end of a turn.
    public var handleWait: Duration

    /// Creates a policy; a lost session is opened again up to five times, after 1, 2, 4, 8 and 16 seconds.
    public init(
        model: String,
        commentary: CommentaryPolicy = CommentaryPolicy(),
        reconnect: RetryPolicy = RetryPolicy(retries: 5, first: .seconds(1), longest: .seconds(16)),
        healthyAfter: Duration = .seconds(30),
        farewellMargin: Duration = .seconds(3),
        handleWait: Duration = .seconds(1)
    ) {
        self.model = model
        self.commentary = commentary
        self.reconnect = reconnect
        self.healthyAfter = healthyAfter
        self.farewellMargin = farewellMargin
        self.handleWait = handleWait
    }
}
