import Conformance
import Services

extension ObjectStoreConformance {
    /// Failures are distinguished, and nothing is lost by them.
    static let troubles: [Case] = InjectedFailure.allCases.flatMap { failure in
        [
            Case("a put that meets \(failure) says so, and trying again settles it") { bench in
                guard bench.failures.contains(failure) else { return notInjected(failure) }
                let key = ObjectKey("trouble/\(failure)")
                try await bench.inject(failure)
                let error = try await bench.failing("\(failure) is reported", codes(of: failure), key: key) {
                    () async throws(ObjectStoreError) in
                    try await bench.store.put([1, 2, 3], at: key, contentType: "image/jpeg")
                }
                try check(error, after: failure)
                if failure == .lostAnswer {
                    try await bench.failing("the effect had happened", [.alreadyExists], key: key) {
                        () async throws(ObjectStoreError) in
                        try await bench.store.put([1, 2, 3], at: key, contentType: "image/jpeg")
                    }
                } else {
                    try await bench.expectAbsent(key)
                    try await bench.put([1, 2, 3], at: key)
                }
                try await bench.expect([1, 2, 3], at: key)
                return .passed
            },
            Case("a question that meets \(failure) fails, and never says that the object is absent") {
                bench in
                guard bench.failures.contains(failure) else { return notInjected(failure) }
                try await bench.put([1, 2, 3], at: ObjectKey("asked"))
                try await bench.inject(failure)
                let error = try await bench.failing(
                    "info reports it",
                    codes(of: failure),
                    key: ObjectKey("asked")
                ) {
                    () async throws(ObjectStoreError) in try await bench.store.info(ObjectKey("asked"))
                }
                try check(error, after: failure)
                try await bench.inject(failure)
                try await bench.failing("get reports it", codes(of: failure), key: ObjectKey("asked")) {
                    () async throws(ObjectStoreError) in
                    try await bench.store.get(ObjectKey("asked"), upTo: 10)
                }
                try await bench.expect([1, 2, 3], at: ObjectKey("asked"))
                return .passed
            },
        ]
    }

    private static func notInjected(_ failure: InjectedFailure) -> ConformanceOutcome {
        .notApplicable("the harness cannot bring about \(failure)")
    }

    private static func codes(of failure: InjectedFailure) -> Set<ObjectStoreError.Code> {
        switch failure {
        case .serverError: [.serverError]
        case .slowDown: [.slowDown]
        case .unauthorized: [.unauthorized]
        case .unreachable: [.network]
        case .timeout: [.timedOut]
        case .lostAnswer: [.network, .timedOut, .serverError]
        }
    }

    private static func check(_ error: ObjectStoreError, after failure: InjectedFailure) throws {
        let isExpected = failure != .unauthorized
        guard error.isTransient == isExpected else {
            throw ConformanceFailure(
                "\(failure) is \(isExpected ? "transient" : "final")",
                saw: "the opposite, \(error.code)"
            )
        }
    }
}
