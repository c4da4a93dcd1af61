/// How a simulated Nova is set up.
public struct NovaProject: Sendable {
    /// How often a person may make calls of one kind.
    public struct Rate: Sendable, Hashable {
        /// Calls.
        public var count: Int
        /// In so many seconds, which begin with the first of them.
        public var seconds: Int

        /// Makes a rate.
        public init(_ count: Int, per seconds: Int) { (self.count, self.seconds) = (count, seconds) }
    }

    /// What is limited; `nil` for what is not.
    public struct Rates: Sendable, Hashable {
        /// Signing in and up, for each e-mail address, or for each person at Apple.
        public var signIn: Rate?
        /// Pages of the feed.
        public var feed: Rate?
        /// New posts.
        public var post: Rate?
        /// Likes, with those that are taken back.
        public var like: Rate?
        /// Searches.
        public var search: Rate?

        /// Makes the limits; the usual ones are those of the service.
        public init(
            signIn: Rate? = Rate(5, per: 60),
            feed: Rate? = Rate(100, per: 60),
            post: Rate? = Rate(10, per: 3600),
            like: Rate? = Rate(300, per: 60),
            search: Rate? = Rate(60, per: 60)
        ) {
            (self.signIn, self.feed, self.post, self.like, self.search) = (signIn, feed, post, like, search)
        }

        /// Nothing is limited.
        public static let none: Rates = Rates(signIn: nil, feed: nil, post: nil, like: nil, search: nil)
    }

    /// The people that are there at the start; the one who uses the app is the first.
    public var users: [NovaUser]
    /// The posts that are there at the start.
    public var posts: [NovaPost]
    /// Who follows which others at the start.
    public var follows: [NovaFollow]
    /// How long an access token is valid, in whole seconds.
    public var tokenLifetime: Int
    /// How long a refresh token can be used, in whole seconds.
    public var refreshLifetime: Int
    /// For how many seconds after its use a refresh token gives the same pair of tokens again; 0 for never.
    public var grace: Int
    /// How long an address for an upload can be used, in whole seconds.
    public var presignLifetime: Int
    /// For how many seconds the answer to a call with an idempotency key is kept.
    public var idempotencyWindow: Int
    /// After how many seconds a call that has not ended counts as broken off, so that its key is free.
    public var idempotencyLease: Int
    /// What is limited.
    public var rates: Rates
    /// The most bytes of an avatar.
    public var avatarLimit: Int
    /// The most bytes of an uploaded picture.
    public var uploadLimit: Int
    /// The bucket of the pictures.
    public var bucket: String
    /// Where clients reach the storage: a URL without a path, such as `http://s3:9000`.
    public var storageURL: String
    /// What an identity token must be for: the app's ID at the issuer.
    public var appleClientID: String
    /// What access tokens are signed with.
    public var signingKey: RS256Key

    /// Makes a set-up; the usual keys are public, and fit nothing but simulations.
    public init(
        users: [NovaUser] = [],
        posts: [NovaPost] = [],
        follows: [NovaFollow] = [],
        tokenLifetime: Int = 900,
        refreshLifetime: Int = 2_592_000,
        grace: Int = 0,
        presignLifetime: Int = 900,
        idempotencyWindow: Int = 86_400,
        idempotencyLease: Int = 60,
        rates: Rates = Rates(),
        avatarLimit: Int = 2 << 20,
        uploadLimit: Int = 20 << 20,
        bucket: String = "nova",
        storageURL: String = "http://s3:9000",
        appleClientID: String = "dev.lenssim.nova",
        signingKey: RS256Key = .simulated(0)
    ) {
        self.users = users
        self.posts = posts
        self.follows = follows
        self.tokenLifetime = tokenLifetime
        self.refreshLifetime = refreshLifetime
        self.grace = grace
        self.presignLifetime = presignLifetime
        self.idempotencyWindow = idempotencyWindow
        self.idempotencyLease = idempotencyLease
        self.rates = rates
        self.avatarLimit = avatarLimit
        self.uploadLimit = uploadLimit
        self.bucket = bucket
        self.storageURL = storageURL
        self.appleClientID = appleClientID
        self.signingKey = signingKey
    }
}
