public import Services

/// All that a person has given so far, and how far they have come.
///
/// The one copy of it is ``SessionManager/userInfo``.
public struct DataModel: Sendable, Hashable {
    /// Who wants to come in.
    public var authenticationData: AuthenticationData = AuthenticationData()
    /// Who that is, as the service says.
    public var userData: UserData = UserData()
    /// What the steps have collected.
    public var flowData: FlowData = FlowData()
    /// What is done.
    public var completionFlags: CompletionFlags = CompletionFlags()

    /// Nothing yet.
    public init() {}
}

/// Credentials and consents.
public struct AuthenticationData: Sendable, Hashable {
    /// The e-mail address, without blanks around it.
    public var email: String
    /// The password, which nothing shows and no recording has.
    public var password: Secret
    /// What the person agrees to.
    public var consents: Consents
    /// The service's name for the person; empty before the log-in.
    public internal(set) var userID: String = ""

    /// Credentials and consents; empty ones where nothing is given.
    public init(email: String = "", password: Secret = Secret(""), consents: Consents = Consents()) {
        self.email = email
        self.password = password
        self.consents = consents
    }
}

/// What a person agrees to before they can come in.
public struct Consents: Sendable, Hashable, Codable {
    /// The terms of use.
    public var terms: Bool
    /// The use of personal data.
    public var privacy: Bool

    /// Agrees to nothing unless told.
    public init(terms: Bool = false, privacy: Bool = false) {
        self.terms = terms
        self.privacy = privacy
    }
}

/// A person, as the service knows them.
public struct UserData: Sendable, Hashable {
    /// The service's name for the person; empty before they have come in.
    public var userID: String

    /// A person; nobody where nothing is given.
    public init(userID: String = "") { self.userID = userID }
}

/// What the steps have collected; `nil` for a step that is not done.
public struct FlowData: Sendable, Hashable {
    /// Data.
    public var step1Data: Step1Data?
    /// Additional data.
    public var step2Data: Step2Data?
    /// Final data.
    public var step3Data: Step3Data?

    /// Nothing yet.
    public init() {}
}

/// The first step: who somebody is.
public struct Step1Data: Sendable, Hashable, Codable {
    /// The whole name.
    public var fullName: String
    /// A day of the calendar: `1990-12-31`.
    public var dateOfBirth: String

    /// Data of the step.
    public init(fullName: String, dateOfBirth: String) {
        self.fullName = fullName
        self.dateOfBirth = dateOfBirth
    }
}

/// The second step: where somebody lives.
public struct Step2Data: Sendable, Hashable, Codable {
    /// Street and number.
    public var address: String
    /// The city.
    public var city: String

    /// Data of the step.
    public init(address: String, city: String) {
        self.address = address
        self.city = city
    }
}

/// The third step: what somebody agrees to at the end.
public struct Step3Data: Sendable, Hashable, Codable {
    /// Whether all that was given is right, and may be used.
    public var acceptsTerms: Bool

    /// Data of the step.
    public init(acceptsTerms: Bool) { self.acceptsTerms = acceptsTerms }
}

/// What is done.
public struct CompletionFlags: Sendable, Hashable {
    /// The account is verified.
    public var isVerified: Bool = false
    /// The step that was submitted last is done.
    public var isStepCompleted: Bool = false
    /// Everything is done.
    public var isCompleted: Bool = false

    /// Nothing is.
    public init() {}
}
