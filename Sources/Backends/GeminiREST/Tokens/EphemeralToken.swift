public import Services

/// A key that lives for a short time and opens Live sessions alone: for apps that must not have the real one.
public struct EphemeralToken: Sendable, Hashable {
    /// What its holder may do with it.
    public struct Terms: Sendable, Hashable {
        /// Sessions that may begin; 0 for any number, `nil` for the service's own number, which is one.
        ///
        /// A session that is gone on with counts once.
        public var uses: Int?
        /// How long sessions last at most, counted from now, less than 20 hours; `nil` for the service's half an hour.
        public var life: Duration?
        /// How long sessions may begin, counted from now, less than 20 hours; `nil` for the service's minute.
        public var opening: Duration?
        /// What the holder cannot choose.
        public var lock: Lock

        /// Makes terms; the default are the service's own.
        public init(
            uses: Int? = nil,
            life: Duration? = nil,
            opening: Duration? = nil,
            lock: Lock = .nothing
        ) {
            self.uses = uses
            self.life = life
            self.opening = opening
            self.lock = lock
        }
    }

    /// What the holder of a token cannot choose.
    public enum Lock: Sendable, Hashable {
        /// The holder chooses everything.
        case nothing
        /// Sessions are as this says, whatever the holder asks for; they can be gone on with.
        case everything(LiveConfiguration)
        /// What this sets is so, and the rest is as the holder asks for. The model and the form of the answer are always set.
        case only(LiveConfiguration)
    }

    /// What `GeminiLiveModel` takes in the place of a key: `auth_tokens/…`.
    public let secret: Secret
}
