import Conformance
import Services

extension NetworkMonitorConformance {
    /// Readers that end, and others that do not.
    static let ending: [Case] = [
        Case("end.cancelled", "the changes end with the reader's task, and can begin again") { trial in
            for _ in 0..<2 {
                let changes = trial.monitor.changes()
                try require(try await trial.read(1, of: changes), is: [true], "the present state comes")
                let reader = Task { for await _ in changes {} }
                reader.cancel()
                try await requireEnd("the changes end with the reader's task", within: trial.patience) {
                    await reader.value
                }
            }
        },
        Case("end.others", "the end of one reader leaves others alone", needs: [.changes]) { trial in
            let (one, other) = (trial.monitor.changes(), trial.monitor.changes())
            try require(try await trial.read(1, of: other), is: [true], "the present state comes")
            let reader = Task { for await _ in one {} }
            reader.cancel()
            try await requireEnd("the changes end with the reader's task", within: trial.patience) {
                await reader.value
            }
            try await trial.set(false)
            try require(try await trial.read(1, of: other), is: [false], "the other reader has the change")
        },
        Case(
            "end.all",
            "where nothing will change any more the changes end, with all that was reported",
            needs: [.changes, .ends]
        ) { trial in
            let changes = trial.monitor.changes()
            try await trial.set(false)
            try await trial.end()
            try require(
                try await trial.rest(of: changes, "the changes of a reader end"),
                is: [true, false],
                "what was reported before the end is read"
            )
        },
        Case(
            "end.later",
            "who comes after the end has the last state, and no change",
            needs: [.changes, .ends, .remains]
        ) { trial in
            try await trial.set(false)
            try await trial.end()
            try require(
                try await trial.rest(of: trial.monitor.changes(), "the changes of a later reader end"),
                is: [false],
                "a later reader has the last state"
            )
            try require(trial.monitor.isConnected, is: false, "the last state stands")
        },
        Case(
            "end.constant",
            "where nothing changes at all, the changes end after the state",
            needs: [.constant],
            isConnected: nil
        ) { trial in
            try require(
                try await trial.rest(of: trial.monitor.changes(), "the changes end after the state"),
                is: [true],
                "a reader has the state"
            )
        },
    ]
}
