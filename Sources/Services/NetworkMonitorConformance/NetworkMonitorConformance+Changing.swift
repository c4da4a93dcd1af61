import Conformance
import Services

extension NetworkMonitorConformance {
    /// What readers of the changes are given.
    static let changing: [Case] = [
        Case("change.first", "a reader has the present state at once, before any change") { trial in
            try await checkFirst(is: true, trial)
        },
        Case(
            "change.firstOff",
            "a reader has the present state at once, also without a network",
            needs: [.changes],
            isConnected: false
        ) { trial in try await checkFirst(is: false, trial) },
        Case("change.each", "each change is reported, in order", needs: [.changes]) { trial in
            let changes = trial.monitor.changes()
            for isConnected in [false, true, false, true] { try await trial.set(isConnected) }
            try require(
                try await trial.read(5, of: changes),
                is: [true, false, true, false, true],
                "each change is reported, in order"
            )
        },
        Case(
            "change.once",
            "what is known already is not reported again",
            needs: [.changes, .disturbances]
        ) { trial in
            let changes = trial.monitor.changes()
            try await trial.disturb()
            try await trial.set(false)
            try await trial.disturb()
            try await trial.set(true)
            try require(
                try await trial.read(3, of: changes),
                is: [true, false, true],
                "a change is reported once"
            )
        },
        Case("change.readers", "each reader has every change", needs: [.changes]) { trial in
            let streams = (0..<3).map { _ in trial.monitor.changes() }
            for isConnected in [false, true] { try await trial.set(isConnected) }
            for changes in streams {
                try require(
                    try await trial.read(3, of: changes),
                    is: [true, false, true],
                    "each reader has every change"
                )
            }
        },
        Case("change.later", "a later reader begins with the present state", needs: [.changes]) { trial in
            for isConnected in [false, true, false] { try await trial.set(isConnected) }
            let changes = trial.monitor.changes()
            try await trial.set(true)
            try require(
                try await trial.read(2, of: changes),
                is: [false, true],
                "a later reader begins with the present state"
            )
        },
        Case(
            "change.meanwhile",
            "a change that comes while readers begin is lost to none of them",
            needs: [.changes]
        ) { trial in
            for isConnected in [false, true, false, true] {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 { group.addTask { try await trial.says(isConnected) } }
                    group.addTask { try await trial.change(isConnected) }
                    try await group.waitForAll()
                }
            }
        },
        Case("change.behind", "a reader that is behind has the newest state in the end", needs: [.changes]) {
            trial in
            // Of both kinds: what is kept instead of the newest may happen to be the same.
            for count in [40, 41] {
                let changes = trial.monitor.changes()
                let first = trial.monitor.isConnected
                for number in 1...count { try await trial.set(number.isMultiple(of: 2) == first) }
                let reader = Task { await changes.reduce(into: [Bool]()) { $0.append($1) } }
                try await Task.sleep(for: quiet)
                reader.cancel()
                let (values, newest) = (await reader.value, count.isMultiple(of: 2) == first)
                try require(
                    values.last == newest,
                    "a reader that is behind has the newest state in the end",
                    saw: "\(values), not \(newest)"
                )
            }
        },
    ]

    /// After this nothing more comes of what waits for a reader.
    private static let quiet = Duration.seconds(1)

    private static func checkFirst(is isConnected: Bool, _ trial: Trial) async throws {
        let first = try await requireEnd("the present state comes at once", within: .seconds(1)) {
            for await value in trial.monitor.changes() { return value }
            throw ConformanceFailure("there is a first value", saw: "the end of the changes")
        }
        try require(first, is: isConnected, "a reader begins with the present state")
    }
}
