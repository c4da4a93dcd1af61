/// How a simulated Flow backend is set up.
public struct FlowProject: Sendable {
    /// How refusals are sent, but for 401, which is always a status.
    public enum RefusalForm: String, Sendable, Hashable, CaseIterable {
        /// With a status of 400 or above.
        case status
        /// With 200: the error code in the body alone tells.
        case body
    }

    /// The client that may ask for tokens.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: String
    /// What tokens are signed with.
    public var signingSecret: String
    /// The code that verification takes, for every session.
    public var verificationCode: String
    /// How long a token is valid, in whole seconds.
    public var tokenLifetime: Int
    /// How refusals are sent.
    public var refusals: RefusalForm
    /// Sessions that are kept, at least one: where more begin, the oldest are forgotten, and their calls refused with 1100.
    public var sessionLimit: Int

    /// Makes a set-up; the usual values are public, and fit nothing but simulations.
    public init(
        clientID: String = "flow-app",
        clientSecret: String = "flow-client-secret",
        signingSecret: String = "flow-signing-secret",
        verificationCode: String = "424242",
        tokenLifetime: Int = 900,
        refusals: RefusalForm = .status,
        sessionLimit: Int = 100_000
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.signingSecret = signingSecret
        self.verificationCode = verificationCode
        self.tokenLifetime = tokenLifetime
        self.refusals = refusals
        self.sessionLimit = sessionLimit
    }
}
