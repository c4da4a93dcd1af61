import Conformance
import Services

extension ObjectStoreConformance {
    /// Sizes are bounded on both sides.
    static let limits: [Case] = [
        Case(
            "an object of exactly the reader's limit is read",
            always: { bench in
                try await bench.put([1, 2, 3], at: ObjectKey("three"))
                let bytes = try await bench.succeeding("three bytes are read with a limit of three") {
                    () async throws(ObjectStoreError) in
                    try await bench.store.get(ObjectKey("three"), upTo: 3)
                }
                guard bytes == [1, 2, 3] else { throw ConformanceFailure("all three come", saw: "\(bytes)") }
            }
        ),
        Case(
            "an object past the reader's limit is tooLarge, and stays readable",
            always: { bench in
                try await bench.put([1, 2, 3], at: ObjectKey("three"))
                for limit in [0, 1, 2] {
                    try await bench.failing(
                        "a limit of \(limit) is kept",
                        [.tooLarge],
                        key: ObjectKey("three")
                    ) {
                        () async throws(ObjectStoreError) in
                        try await bench.store.get(ObjectKey("three"), upTo: limit)
                    }
                }
                try await bench.expect([1, 2, 3], at: ObjectKey("three"))
            }
        ),
        Case("an object past the store's limit is tooLarge, and nothing of it stays") { bench in
            guard let limit = bench.sizeLimit else { return .notApplicable("the harness names no limit") }
            let store = bench.store
            let error = try await bench.failing(
                "\(limit + 1) bytes are refused",
                [.tooLarge],
                key: ObjectKey("big")
            ) {
                () async throws(ObjectStoreError) in
                try await store.put(
                    Array(repeating: 0, count: limit + 1),
                    at: ObjectKey("big"),
                    contentType: "image/jpeg"
                )
            }
            if error.isTransient { throw ConformanceFailure("a size is final", saw: "a transient error") }
            try await bench.expectAbsent(ObjectKey("big"))
            try await bench.put(Array(repeating: 0, count: limit), at: ObjectKey("big"))
            return .passed
        },
    ]
}
