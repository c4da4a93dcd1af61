import Conformance
import Services

extension ObjectStoreConformance {
    /// A key is taken once.
    static let contention: [Case] = [
        Case("contention.taken", "a key that is taken stays as it is") { trial in
            try await trial.put([1, 1], at: ObjectKey("taken"))
            for bytes: [UInt8] in [[2, 2, 2], [1, 1]] {
                let error = try await trial.failing(
                    "it is alreadyExists",
                    [.alreadyExists],
                    key: ObjectKey("taken")
                ) {
                    try await trial.store.put(bytes, at: ObjectKey("taken"), contentType: "image/jpeg")
                }
                try require(!error.isTransient, "it is final", saw: "a transient error")
            }
            try await trial.expect([1, 1], at: ObjectKey("taken"))
        },
        Case("contention.one", "of many that put one key at once, exactly one succeeds") { trial in
            let results = await puttingAtOnce(trial) { _ in "contended" }
            let winners = results.filter { $0.error == nil }
            let losers = results.compactMap(\.error)
            if winners.count <= 1 {
                for error in losers where error.code != .alreadyExists { try giveUp(on: error) }
                // The answer to the one that succeeded may be lost.
                if winners.isEmpty { try giveUp(on: losers.first) }
            }
            try require(
                winners.count == 1 && losers.allSatisfy { $0.code == .alreadyExists },
                "one put succeeds and all others are alreadyExists",
                saw: "\(winners.count) successes, and \(losers.map(\.code.rawValue))"
            )
            for winner in winners { try await trial.expect(winner.bytes, at: ObjectKey("contended")) }
        },
        Case("contention.apart", "puts of different keys do not disturb each other") { trial in
            let results = await puttingAtOnce(trial) { "apart/\($0)" }
            for result in results { try giveUp(on: result.error) }
            try require(results.compactMap(\.error), is: [], "all succeed")
            for result in results { try await trial.expect(result.bytes, at: result.key) }
        },
        Case("contention.cancelled", "a cancelled call ends as done or cancelled, never as anything else") {
            trial in
            let task = Task { await attempt([1], at: ObjectKey("cancelled"), trial) }
            task.cancel()
            let error = await task.value.error
            try giveUp(on: error)
            try require(error?.code ?? .cancelled, is: .cancelled, "the code is cancelled")
        },
    ]

    private struct Attempt: Sendable {
        let key: ObjectKey
        let bytes: [UInt8]
        let error: ObjectStoreError?
    }

    private static func puttingAtOnce(
        _ trial: Trial,
        _ path: (Int) -> String
    ) async -> [Attempt] {
        await withTaskGroup(of: Attempt.self) { group in
            for index in 0..<8 {
                let key = ObjectKey(path(index))
                let bytes = Array(repeating: UInt8(index), count: 100 + index)
                group.addTask { await attempt(bytes, at: key, trial) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func attempt(_ bytes: [UInt8], at key: ObjectKey, _ trial: Trial) async -> Attempt {
        do throws(ObjectStoreError) {
            try await trial.store.put(bytes, at: key, contentType: "image/jpeg")
            return Attempt(key: key, bytes: bytes, error: nil)
        } catch {
            return Attempt(key: key, bytes: bytes, error: error)
        }
    }
}
