/// How a simulated home hub is set up.
public struct ArgusProject: Sendable {
    /// What a refresh token does that was used already, for ``gracePeriod`` seconds after its first use.
    public enum Grace: String, Sendable, Hashable, CaseIterable {
        /// It is refused, as it is later.
        case none
        /// It gives an access token, and itself back, which is refused once the period is over. The public hub does so.
        case echoesOld
        /// It gives an access token and the newest refresh token of its family.
        case returnsSuccessor
    }

    /// Which calls the hub has, over one store.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
        /// Those of the app's own description: the hub shows a code, and the app sends it.
        case seed
        /// Those of the public hub as it runs: the app shows a code, and a person confirms it at the hub.
        case hub
    }

    /// Which calls the hub has.
    public var dialect: Dialect
    /// What `/health` says which hub this is.
    public var hubID: String
    /// The cameras, in the order of their list.
    public var cameras: [HubCamera]
    /// The events that are there at the start; no push tells of them.
    public var events: [HubEvent]
    /// What makes further events, on the hub's clock; see ``ArgusHub/run()``.
    public var rules: [HubRule]
    /// How long a pairing code can be used, in whole seconds; the public hub has 300.
    public var codeLifetime: Int
    /// How long an access token is valid, in whole seconds; also what `expires_in` says, but in the dialect of the public hub, which says 900.
    public var tokenLifetime: Int
    /// How long a refresh token can be used, in whole seconds; the public hub has 30 days.
    public var refreshLifetime: Int
    /// What a used refresh token does for a while.
    public var grace: Grace
    /// How long the grace lasts, in whole seconds; the public hub has 30.
    public var gracePeriod: Int
    /// Whether a used refresh token that is refused revokes all tokens of its family.
    public var reuseRevokesFamily: Bool
    /// Wrong codes of one client in ``codeLifetime`` seconds, after which it is refused with 429.
    public var wrongAttemptLimit: Int
    /// The largest `page_size`.
    public var pageLimit: Int
    /// What the web page of the hub would be signed in with: it confirms pairings and adds events.
    public var adminToken: String
    /// What access tokens are signed with.
    public var signingSecret: String

    /// Makes a set-up; the usual secrets are public, and fit nothing but simulations.
    public init(
        dialect: Dialect = .seed,
        hubID: String = "hub-1",
        cameras: [HubCamera] = HubCamera.house,
        events: [HubEvent] = [],
        rules: [HubRule] = [],
        codeLifetime: Int = 300,
        tokenLifetime: Int = 3600,
        refreshLifetime: Int = 2_592_000,
        grace: Grace = .none,
        gracePeriod: Int = 30,
        reuseRevokesFamily: Bool = false,
        wrongAttemptLimit: Int = 5,
        pageLimit: Int = 100,
        adminToken: String = "argus-admin-token",
        signingSecret: String = "argus-signing-secret"
    ) {
        self.dialect = dialect
        self.hubID = hubID
        self.cameras = cameras
        self.events = events
        self.rules = rules
        self.codeLifetime = codeLifetime
        self.tokenLifetime = tokenLifetime
        self.refreshLifetime = refreshLifetime
        self.grace = grace
        self.gracePeriod = gracePeriod
        self.reuseRevokesFamily = reuseRevokesFamily
        self.wrongAttemptLimit = wrongAttemptLimit
        self.pageLimit = pageLimit
        self.adminToken = adminToken
        self.signingSecret = signingSecret
    }
}
