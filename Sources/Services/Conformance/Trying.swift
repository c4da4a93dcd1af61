/// Checks something, and takes down what was made for it, however the check ends.
///
/// - Parameters:
///   - check: What is tried.
///   - takeDown: What ends it; it runs also where the task is cancelled.
/// - Throws: What the check throws.
public func trying(_ check: () async throws -> Void, takingDown takeDown: () async -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await check()) } catch { result = .failure(error) }
    await takeDown()
    try result.get()
}
