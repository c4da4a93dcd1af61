import Conformance
import Services

extension CameraSourceConformance {
    /// Attempts that are given up.
    static let attempts: [Case] = [
        Case(
            "attempt.cancelled",
            "an attempt that is cancelled ends soon, with an error, and leaves nothing behind",
            needs: [.hanging],
            on: .hanging
        ) { trial in
            let watch = try await trial.watch()
            let attempt = trial.attempt()
            try await Task.sleep(for: .milliseconds(300))
            attempt.cancel()
            try await checkGivenUp(attempt, trial)
            try await checkNeverConnected(watch, trial)
        },
        Case(
            "attempt.overtaken",
            "an attempt that a disconnect overtakes says so, soon, and leaves nothing behind",
            needs: [.hanging],
            on: .hanging
        ) { trial in
            let watch = try await trial.watch()
            let attempt = trial.attempt()
            try await Task.sleep(for: .milliseconds(300))
            try await trial.disconnect()
            try await trial.checkIsOff()
            try await checkGivenUp(attempt, trial)
            try await checkNeverConnected(watch, trial)
        },
        Case("attempt.cancelledAnywhere", "whenever an attempt is cancelled, its outcome is the truth") {
            trial in
            for moment in moments {
                let attempt = trial.attempt()
                await moment.pass()
                attempt.cancel()
                try await checkTruth(of: attempt, trial)
                try await trial.disconnect()
                try await trial.checkIsOff()
            }
            try await trial.connect()
            try await trial.checkIsOn()
        },
        Case(
            "attempt.overtakenAnywhere",
            "whenever a disconnect overtakes an attempt, its outcome is the truth"
        ) {
            trial in
            for moment in moments {
                let attempt = trial.attempt()
                await moment.pass()
                try await trial.disconnect()
                try await checkTruth(of: attempt, isLater: true, trial)
                try await trial.disconnect()
                try await trial.checkIsOff()
            }
            try await trial.connect()
            try await trial.checkIsOn()
        },
        Case("attempt.next", "an attempt that follows one that was given up works") { trial in
            for moment in moments {
                let first = trial.attempt()
                await moment.pass()
                let ending = Task { await trial.camera.disconnect() }
                first.cancel()
                let error = try await trial.outcome(of: first)
                try await trial.end(of: ending, "disconnecting returns", within: trial.harness.promptness)
                // Which of the two came first nobody knows.
                if error == nil { try await trial.disconnect() }
                try await trial.connect()
                try await trial.checkIsOn()
                try await trial.disconnect()
            }
        },
    ]

    /// When an attempt is given up: some steps of other tasks, or some time later.
    private enum Moment {
        case steps(Int)
        case time(Duration)

        func pass() async {
            switch self {
            case .steps(let count): for _ in 0..<count { await Task.yield() }
            case .time(let time): try? await Task.sleep(for: time)
            }
        }
    }

    private static let moments: [Moment] =
        [0, 1, 2, 3, 5, 8, 13].map { .steps($0) }
        + [1, 4, 11, 19, 28, 50, 90].map { .time(.milliseconds($0)) }

    private static let givenUp = "an attempt that is given up throws unknown, with a CancellationError"

    private static func checkGivenUp(_ attempt: Task<CameraError?, Never>, _ trial: Trial) async throws {
        guard let error = try await trial.outcome(of: attempt) else {
            throw ConformanceFailure(givenUp, saw: "success")
        }
        try require(error == .unknown(CancellationError()), givenUp, saw: "“\(error)”")
        try await trial.checkIsOff()
    }

    /// Also a second later, in which what goes on behind the back of the caller might have succeeded.
    private static func checkNeverConnected(_ watch: Watch, _ trial: Trial) async throws {
        try await Task.sleep(for: .milliseconds(1_500))
        try await trial.checkIsOff()
        let seen = watch.end()
        try require(seen == [.disconnected], "it is never connected", saw: "\(seen)")
    }

    /// Success means frames, unless a disconnect came later, and failure a camera that is off.
    private static func checkTruth(
        of attempt: Task<CameraError?, Never>,
        isLater: Bool = false,
        _ trial: Trial
    ) async throws {
        if let error = try await trial.outcome(of: attempt) {
            try require(error == .unknown(CancellationError()), givenUp, saw: "“\(error)”")
            return try await trial.checkIsOff()
        }
        // The call may have succeeded before the disconnect, or have begun after it.
        if isLater, try await trial.state() == .disconnected { return try await trial.checkIsOff() }
        try await trial.checkIsOn()
    }
}
