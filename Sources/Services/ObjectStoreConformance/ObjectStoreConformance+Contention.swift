import Conformance
import Services

extension ObjectStoreConformance {
    /// A key is taken once.
    static let contention: [Case] = [
        Case(
            "a key that is taken stays as it is",
            always: { bench in
                try await bench.put([1, 1], at: ObjectKey("taken"))
                for bytes: [UInt8] in [[2, 2, 2], [1, 1]] {
                    let error = try await bench.failing(
                        "it is alreadyExists",
                        [.alreadyExists],
                        key: ObjectKey("taken")
                    ) {
                        () async throws(ObjectStoreError) in
                        try await bench.store.put(bytes, at: ObjectKey("taken"), contentType: "image/jpeg")
                    }
                    if error.isTransient { throw ConformanceFailure("it is final", saw: "a transient error") }
                }
                try await bench.expect([1, 1], at: ObjectKey("taken"))
            }
        ),
        Case(
            "of many that put one key at once, exactly one succeeds",
            always: { bench in
                let results = await puttingAtOnce(bench) { _ in "contended" }
                let winners = results.filter { $0.error == nil }
                let losers = results.compactMap(\.error)
                guard winners.count == 1, losers.allSatisfy({ $0.code == .alreadyExists }) else {
                    let codes = losers.map(\.code.rawValue).joined(separator: ", ")
                    throw ConformanceFailure(
                        "one put succeeds and all others are alreadyExists",
                        saw: "\(winners.count) successes, and \(codes)"
                    )
                }
                for winner in winners { try await bench.expect(winner.bytes, at: ObjectKey("contended")) }
            }
        ),
        Case(
            "puts of different keys do not disturb each other",
            always: { bench in
                let results = await puttingAtOnce(bench) { "apart/\($0)" }
                if let error = results.compactMap(\.error).first {
                    throw ConformanceFailure("all succeed", saw: error.description)
                }
                for result in results { try await bench.expect(result.bytes, at: result.key) }
            }
        ),
        Case(
            "a cancelled call ends as done or cancelled, never as anything else",
            always: { bench in
                let task = Task { () async -> ObjectStoreError? in
                    do throws(ObjectStoreError) {
                        try await bench.store.put([1], at: ObjectKey("cancelled"), contentType: "image/jpeg")
                        return nil
                    } catch {
                        return error
                    }
                }
                task.cancel()
                if let error = await task.value, error.code != .cancelled {
                    throw ConformanceFailure("the code is cancelled", saw: error.description)
                }
            }
        ),
    ]

    private struct Attempt: Sendable {
        let key: ObjectKey
        let bytes: [UInt8]
        let error: ObjectStoreError?
    }

    private static func puttingAtOnce(
        _ bench: Bench,
        _ path: (Int) -> String
    ) async -> [Attempt] {
        await withTaskGroup(of: Attempt.self) { group in
            for index in 0..<8 {
                let key = ObjectKey(path(index))
                group.addTask {
                    let bytes = Array(repeating: UInt8(index), count: 100 + index)
                    do throws(ObjectStoreError) {
                        try await bench.store.put(bytes, at: key, contentType: "image/jpeg")
                        return Attempt(key: key, bytes: bytes, error: nil)
                    } catch {
                        return Attempt(key: key, bytes: bytes, error: error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
