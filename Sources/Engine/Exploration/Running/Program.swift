package import Simulation

/// Something that can be explored: a world with a story, which throws when a property is violated.
public struct Program: Sendable {
    /// The command-line name.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Names of the `sometimes` that a sweep over it should reach.
    public let expects: [String]
    /// The story; runs inside a simulation.
    public let body: @Sendable () async throws -> Void
    /// How a test names it; `nil` where it cannot.
    public let code: Code?
    /// What a run is called in messages; `nil` for a run of the program.
    package var title: String?
    /// The line that reproduces a run, where ``command`` cannot say it.
    package var reproductionLine: (@Sendable (Recipe) -> String)?
    /// What each run is given beside what its recipe decides; `nil` for the rules of searches, by which what is left behind is a
    /// failure.
    package var configuration: Simulation.Configuration?
    /// Steps after which each run is ended with an error; `nil` for the limit of its configuration.
    package var maximumSteps: UInt64?
    /// The command that runs it and takes `--recipe`, such as `lenssim run NAME`; `nil` where there is none.
    public let command: String?

    /// What a source file writes to get the program.
    public struct Code: Sendable, Hashable, Codable {
        /// The module that has it.
        public var module: String
        /// Other modules that the expression needs; `nil` for none.
        public var besides: [String]?
        /// An expression of the type `Program?`.
        public var expression: String

        /// Names a program.
        public init(module: String, besides: [String]? = nil, expression: String) {
            self.module = module
            self.besides = besides
            self.expression = expression
        }
    }

    /// Makes a program.
    public init(
        name: String,
        summary: String,
        expects: [String] = [],
        code: Code? = nil,
        command: String? = nil,
        body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.expects = expects
        self.code = code
        self.command = command
        self.body = body
    }

    /// The configuration of a run.
    func configuration(for recipe: Recipe) -> Simulation.Configuration {
        var whole = configuration.map { recipe.applied(to: $0) } ?? recipe.configuration
        if let maximumSteps { whole.maximumSteps = min(whole.maximumSteps, maximumSteps) }
        return whole
    }
}
