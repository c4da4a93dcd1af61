import Synchronization

/// A small program that keeps something where all runs of one process find it, as apps do.
///
/// Each is plain Swift 6 without data races, knows nothing of any simulation, and checks what it may rely on in whatever order its
/// tasks run. None needs to find its process as new; ``isAffected`` says of which the behaviour depends on earlier runs all the same.
public struct Way: Sendable {
    /// What one types to run it alone.
    public let name: String
    /// Where the state is, and what is done with it.
    public let summary: String
    /// Whether a run behaves otherwise, by its design, where another has run before it in its process.
    public let isAffected: Bool
    /// The program.
    public let body: @Sendable () async throws -> Void

    init(
        _ name: String,
        _ summary: String,
        isAffected: Bool = false,
        body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.isAffected = isAffected
        self.body = body
    }

    /// All of them.
    public static var all: [Way] {
        actors + mainActor + globalActors + locks + asyncLocks + lazies + caches + streams + tasks
            + references
            + machine + files + cLibrary + foundation + failures
    }
}

/// Something that a way relies on does not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func expect(_ holds: Bool, _ description: @autoclosure () -> String) throws {
    if !holds { throw Broken(description: description()) }
}

/// Some milliseconds, at most five.
func pause() async {
    try? await Task.sleep(for: .milliseconds(Int.random(in: 0...5)))
}

/// Runs a body in several tasks at once, each with its number.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count { group.addTask { try await body(number) } }
        try await group.waitForAll()
    }
}

/// A number that tasks count up.
final class Count: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
