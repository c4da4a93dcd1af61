/// A service that runs between a start and a stop.
public protocol Startable: Sendable {
    /// Begins to run, and returns once it does. When it throws, it must leave nothing running.
    func start() async throws

    /// Ends, and returns once nothing of it runs. Must do its work in a cancelled task too.
    func stop() async
}
