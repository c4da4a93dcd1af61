internal import Synchronization

/// The run of one case under faults, for the requirements that stand in it.
final class FaultyRun: Sendable {
    /// The one of the calling task; `nil` where nothing is meant to fail.
    @TaskLocal static var current: FaultyRun?

    let terms: FaultTerms
    let patience: Duration
    private let kept = Mutex<[@Sendable () async throws -> Void]>([])

    init(_ terms: FaultTerms, patience: Duration) { (self.terms, self.patience) = (terms, patience) }

    /// What must hold once the faults are over, in the order in which it was said.
    var checks: [@Sendable () async throws -> Void] { kept.withLock { $0 } }
    func add(_ check: @escaping @Sendable () async throws -> Void) { kept.withLock { $0.append(check) } }
}

/// Whether the calling case runs under faults.
public var isUnderFaults: Bool { FaultyRun.current != nil }

/// Ends a case under faults, where an error is one that they excuse.
///
/// `requireSuccess` does it by itself; a case does it with errors that it has caught, and that are not the ones that must come.
///
/// - Parameter error: What a call has thrown; `nil` where it has thrown nothing.
/// - Throws: ``GaveUp`` with the error; nothing where the suite does not excuse it, and without faults.
public func giveUp(on error: (any Error)?) throws {
    guard let error, let run = FaultyRun.current, run.terms.excuses(error) else { return }
    throw GaveUp("\(error)")
}

/// Has something checked once the faults are over, whether the case passes or gives up; does nothing without faults.
///
/// - Parameter check: Throws ``ConformanceFailure`` where what was reported does not hold; no error is excused any more.
public func onceFaultsAreOver(_ check: @escaping @Sendable () async throws -> Void) {
    FaultyRun.current?.add(check)
}

/// Does the part of a harness, which is not on trial: what it throws under faults ends the case as ``GaveUp``.
///
/// - Parameter work: What the harness does: it sends something, or looks at what lies in a store.
/// - Returns: What the work returns.
/// - Throws: What the work throws; ``GaveUp`` in its place under faults, but for `ConformanceFailure`.
public func byHarness<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch let failure as ConformanceFailure { throw failure } catch {
        throw isUnderFaults ? GaveUp("the harness: \(error)") : error
    }
}

/// How long to wait for something that must come: longer under faults, where it may come late.
///
/// - Parameter limit: The longest wait where nothing fails.
public func patience(_ limit: Duration) -> Duration { max(limit, FaultyRun.current?.patience ?? .zero) }
