extension SupabaseProject {
    /// Somebody who may sign in from the beginning.
    public struct User: Sendable, Hashable {
        /// The address, in any letter case.
        public var email: String
        /// The password; only a digest of it is kept.
        public var password: String
        /// The identifier, a UUID in small letters; `nil` for one that is drawn.
        public var id: String?
        /// Whether the address is known to be the user's.
        public var isConfirmed: Bool
        /// Whether the user may not sign in any more.
        public var isBanned: Bool

        /// Makes the description; nothing is stored yet.
        public init(
            _ email: String,
            password: String,
            id: String? = nil,
            isConfirmed: Bool = true,
            isBanned: Bool = false
        ) {
            self.email = email
            self.password = password
            self.id = id
            self.isConfirmed = isConfirmed
            self.isBanned = isBanned
        }
    }

    /// How people sign in.
    public struct SignIn: Sendable, Hashable {
        /// Users that exist from the beginning.
        public var users: [User]
        /// Whether anybody may sign up.
        public var allowsSignUp: Bool
        /// Whether who signs up is signed in at once, without a letter to the address.
        public var confirmsAtOnce: Bool
        /// How long an access token is good, in whole seconds.
        public var tokenLifetime: Duration
        /// How long a refresh token that was used is taken again.
        public var reuseInterval: Duration
        /// How long a session lasts, however much it is used; `nil` for no limit.
        public var sessionLifetime: Duration?
        /// Characters of the shortest password.
        public var passwordLength: Int

        /// Makes the description, as the service has it by default; letters are not modelled.
        public init(
            users: [User] = [],
            allowsSignUp: Bool = true,
            confirmsAtOnce: Bool = true,
            tokenLifetime: Duration = .seconds(3600),
            reuseInterval: Duration = .seconds(10),
            sessionLifetime: Duration? = nil,
            passwordLength: Int = 6
        ) {
            self.users = users
            self.allowsSignUp = allowsSignUp
            self.confirmsAtOnce = confirmsAtOnce
            self.tokenLifetime = tokenLifetime
            self.reuseInterval = reuseInterval
            self.sessionLifetime = sessionLifetime
            self.passwordLength = passwordLength
        }
    }
}

extension SupabaseProject.User: CustomStringConvertible, CustomReflectable {
    /// The address, without the password.
    public var description: String { email }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
