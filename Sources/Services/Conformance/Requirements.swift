import Concurrency

/// Requires that something holds.
///
/// - Parameters:
///   - isMet: Whether it holds.
///   - requirement: The requirement as a half sentence.
///   - saw: What there is where it does not hold.
/// - Throws: `ConformanceFailure` where it does not hold.
public func require(_ isMet: Bool, _ requirement: String, saw: @autoclosure () -> String)
    throws(ConformanceFailure)
{
    if !isMet { throw ConformanceFailure(requirement, saw: saw()) }
}

/// Requires that a value is the wanted one.
///
/// - Parameters:
///   - value: What there is; both descriptions are the evidence, cut where they are longer than 300 characters.
///   - wanted: What must be there.
///   - requirement: The requirement as a half sentence.
/// - Throws: `ConformanceFailure` where the values differ.
public func require<Value: Equatable>(_ value: Value, is wanted: Value, _ requirement: String)
    throws(ConformanceFailure)
{
    if value != wanted {
        throw ConformanceFailure(requirement, saw: "\(excerpt(of: value)), not \(excerpt(of: wanted))")
    }
}

/// Requires that a call succeeds.
///
/// - Parameters:
///   - requirement: The requirement as a half sentence.
///   - work: The call.
/// - Returns: What the call returns.
/// - Throws: `ConformanceFailure` with the error of the call; ``GaveUp`` where faults excuse it.
@discardableResult
public func requireSuccess<Value>(_ requirement: String, _ work: () async throws -> Value)
    async throws -> Value
{
    do { return try await work() } catch let failure as ConformanceFailure { throw failure } catch {
        try giveUp(on: error)
        throw ConformanceFailure(requirement, saw: "“\(error)”")
    }
}

/// Requires that a call without waiting succeeds, as the one above.
@discardableResult
public func requireSuccess<Value>(_ requirement: String, _ work: () throws -> Value) throws -> Value {
    do { return try work() } catch let failure as ConformanceFailure { throw failure } catch {
        try giveUp(on: error)
        throw ConformanceFailure(requirement, saw: "“\(error)”")
    }
}

/// Requires that a call fails with an error of one type.
///
/// Whether it is the one that must come the caller decides; under faults it may be another, see ``giveUp(on:)``.
///
/// - Parameters:
///   - requirement: The requirement as a half sentence.
///   - work: The call.
/// - Returns: The error.
/// - Throws: `ConformanceFailure` where the call succeeds; an error of another type as it is.
public func requireError<Failure: Error, Value>(
    _ requirement: String,
    _ work: () async throws -> Value
) async throws -> Failure {
    do { _ = try await work() } catch let error as Failure { return error }
    throw ConformanceFailure(requirement, saw: "success")
}

/// Requires that something ends in time.
///
/// Work that ignores its cancellation does not keep the caller: what is late is cancelled and left to itself.
///
/// - Parameters:
///   - requirement: The requirement as a half sentence.
///   - limit: The longest wait; under faults it is longer, see ``patience(_:)``.
///   - work: What must end.
/// - Returns: What the work returns.
/// - Throws: `ConformanceFailure` past the limit, and what the work throws.
public func requireEnd<Value: Sendable>(
    _ requirement: String,
    within limit: Duration,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let limit = patience(limit)
    let result = await withDeadline(limit) { () async -> Result<Value, any Error> in
        do { return .success(try await work()) } catch { return .failure(error) }
    }
    guard let result else {
        try Task.checkCancellation()
        throw ConformanceFailure(requirement, saw: "nothing within \(limit)")
    }
    return try result.get()
}

private func excerpt(of value: some Any) -> String {
    let text = "\(value)"
    return text.count > 300 ? "\(text.prefix(300))… (\(text.count) characters)" : text
}
