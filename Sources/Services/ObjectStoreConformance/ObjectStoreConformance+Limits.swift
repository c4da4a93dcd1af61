import Conformance
import Services

extension ObjectStoreConformance {
    /// Sizes are bounded on both sides.
    static let limits: [Case] = [
        Case("limit.exact", "an object of exactly the reader's limit is read") { trial in
            try await trial.put([1, 2, 3], at: ObjectKey("three"))
            let bytes = try await requireSuccess("three bytes are read with a limit of three") {
                try await trial.store.get(ObjectKey("three"), upTo: 3)
            }
            try require(bytes, is: [1, 2, 3], "all three come")
        },
        Case("limit.reader", "an object past the reader's limit is tooLarge, and stays readable") { trial in
            try await trial.put([1, 2, 3], at: ObjectKey("three"))
            for limit in [0, 1, 2] {
                try await trial.failing(
                    "a limit of \(limit) is kept",
                    [.tooLarge],
                    key: ObjectKey("three")
                ) {
                    try await trial.store.get(ObjectKey("three"), upTo: limit)
                }
            }
            try await trial.expect([1, 2, 3], at: ObjectKey("three"))
        },
        Case("limit.store", "an object past the store's limit is tooLarge, and nothing of it stays") {
            trial in
            guard let limit = trial.harness.sizeLimit else { throw CaseSkipped("the harness names no limit") }
            let store = trial.store
            let error = try await trial.failing(
                "\(limit + 1) bytes are refused",
                [.tooLarge],
                key: ObjectKey("big")
            ) {
                try await store.put(
                    Array(repeating: 0, count: limit + 1),
                    at: ObjectKey("big"),
                    contentType: "image/jpeg"
                )
            }
            try require(!error.isTransient, "a size is final", saw: "a transient error")
            try await trial.expectAbsent(ObjectKey("big"))
            try await trial.put(Array(repeating: 0, count: limit), at: ObjectKey("big"))
        },
    ]
}
