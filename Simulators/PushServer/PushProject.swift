public import PushWire
public import SignedToken

/// How a simulated push service is set up.
public struct PushProject: Sendable {
    /// A key with which a provider signs its tokens.
    public struct Key: Sendable {
        /// Its name, 10 characters: `kid`.
        public var id: String
        /// What checks signatures.
        public var publicKey: ES256PublicKey
        /// The apps for which it may be used; `nil` for all of the team.
        public var topics: Set<String>?

        /// Describes a key.
        public init(id: String, publicKey: ES256PublicKey, topics: Set<String>? = nil) {
            (self.id, self.publicKey, self.topics) = (id, publicKey, topics)
        }
    }

    /// The provider's team, 10 characters: `iss`.
    public var teamID: String
    /// Its keys.
    public var keys: [Key]
    /// The apps of the team: bundle IDs.
    public var topics: Set<String>
    /// Whose tokens the provider's interface takes; Apple has an address for each environment.
    public var environment: PushEnvironment = .production

    // What follows is bounded here by our own choice: Apple publishes no figures.

    /// How many installations there may be; further ones are refused.
    public var installationLimit: Int = 10_000
    /// How many tokens that are dead are known as such; of an older one nothing is known, and it is a bad one.
    public var deadTokenLimit: Int = 10_000
    /// Notifications that were sent to one device and not acknowledged; past that the oldest is dropped.
    public var unacknowledgedLimit: Int = 100
    /// Notifications in a row that one device may get; one more may follow each second.
    public var burst: Int = 100
    /// How many new provider tokens of one key are taken within 20 minutes.
    ///
    /// Apple asks for one; several processes of a provider that each make their own are taken too.
    public var providerTokensPerPeriod: Int = 20

    /// The usual service.
    public init(teamID: String, keys: [Key], topics: Set<String>) {
        (self.teamID, self.keys, self.topics) = (teamID, keys, topics)
    }
}
