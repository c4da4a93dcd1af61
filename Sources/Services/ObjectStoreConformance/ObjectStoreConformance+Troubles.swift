import Conformance
import Services

extension ObjectStoreConformance {
    /// Failures are distinguished, and nothing is lost by them.
    static let troubles: [Case] = InjectedFailure.allCases.flatMap { failure in
        [
            Case(
                "trouble.\(failure).put",
                "a put that meets \(failure) says so, and trying again settles it",
                needs: [failure]
            ) { trial in
                let key = ObjectKey("trouble/\(failure)")
                try await trial.inject(failure)
                let error = try await trial.failing("\(failure) is reported", codes(of: failure), key: key) {
                    try await trial.store.put([1, 2, 3], at: key, contentType: "image/jpeg")
                }
                try check(error, after: failure)
                if failure == .lostAnswer {
                    try await trial.failing("the effect had happened", [.alreadyExists], key: key) {
                        try await trial.store.put([1, 2, 3], at: key, contentType: "image/jpeg")
                    }
                } else {
                    try await trial.expectAbsent(key)
                    try await trial.put([1, 2, 3], at: key)
                }
                try await trial.expect([1, 2, 3], at: key)
            },
            Case(
                "trouble.\(failure).question",
                "a question that meets \(failure) fails, and never says that the object is absent",
                needs: [failure]
            ) {
                trial in
                try await trial.put([1, 2, 3], at: ObjectKey("asked"))
                try await trial.inject(failure)
                let error = try await trial.failing(
                    "info reports it",
                    codes(of: failure),
                    key: ObjectKey("asked")
                ) {
                    try await trial.store.info(ObjectKey("asked"))
                }
                try check(error, after: failure)
                try await trial.inject(failure)
                try await trial.failing("get reports it", codes(of: failure), key: ObjectKey("asked")) {
                    try await trial.store.get(ObjectKey("asked"), upTo: 10)
                }
                try await trial.expect([1, 2, 3], at: ObjectKey("asked"))
            },
        ]
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
        let isTransient = failure != .unauthorized
        try require(error.isTransient, is: isTransient, "whether \(failure) may pass is reported")
    }
}
