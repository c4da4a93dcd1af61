import Synchronization

/// The body of a test, until its runs are over.
///
/// Threads of a search end some time after its last run. What they hold is this; the body itself must not escape.
final class TestBody: Sendable {
    typealias Function = @concurrent @Sendable () async throws -> Void

    private let function: Mutex<Stored?>

    // A function as a generic value is wrapped in a thunk; as a stored property it is not.
    private struct Stored {
        var function: Function
    }

    private init(_ function: @escaping Function) { self.function = Mutex(Stored(function: function)) }

    /// Runs the test.
    func callAsFunction() async throws {
        guard let stored = function.withLock({ $0 }) else {
            preconditionFailure("a test begins after its end")
        }
        try await stored.function()
    }

    /// Calls `runs`, in which the body is run any number of times on any threads.
    static func with<Value, Failure>(
        _ function: Function,
        _ runs: (TestBody) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withoutActuallyEscaping(function) { (function) throws(Failure) in
            // A body that is stuck stays suspended forever, and holds its closure; nobody will ever run it again.
            let references = ClosureReferences(function)
            defer { references.dropLeaked() }
            let body = TestBody(function)
            defer { body.function.withLock { $0 = nil } }
            return try runs(body)
        }
    }
}
