/// Something that can be explored: a world with a story, which throws when a promise is broken.
public struct Program: Sendable {
    /// What one types to run it.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Names of the `sometimes` that a sweep over it should reach.
    public let expects: [String]
    /// The story; runs inside a simulation.
    public let body: @Sendable () async throws -> Void

    /// Makes a program.
    public init(
        name: String,
        summary: String,
        expects: [String] = [],
        body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.expects = expects
        self.body = body
    }
}
