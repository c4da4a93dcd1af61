import Conformance
import Services

extension CameraSourceConformance {
    /// What watchers get.
    static let states: [Case] = [
        Case("state.first", "who begins to watch gets the present state at once") { trial in
            for _ in 0..<2 {
                try await expect(.disconnected, trial)
                try await trial.connect()
                try await expect(.connected, trial)
                try await trial.disconnect()
                try await expect(.disconnected, trial)
            }
        },
        Case("state.changes", "each change comes once and in order, to all who watch") { trial in
            let watched = [trial.camera.states(), trial.camera.states()]
            for _ in 0..<2 {
                try await trial.connect()
                try await trial.checkIsOn()
                try await trial.disconnect()
                try await trial.disconnect()
            }
            let story: [CameraState] = [.disconnected, .connected, .disconnected, .connected, .disconnected]
            // One more change, behind which nothing can hide.
            try await trial.connect()
            for stream in watched {
                var seen: [CameraState] = []
                while seen.count <= story.count {
                    seen += try await trial.states(stream) { _ in true }
                }
                try require(seen == story + [.connected], "each change comes once", saw: "\(seen)")
            }
        },
        Case("state.capabilities", "what a camera can do stays the same while it is connected") { trial in
            try await trial.connect()
            let capabilities = trial.camera.capabilities
            try require(
                capabilities.zoom.lowerBound == 1 && capabilities.zoom.upperBound.isFinite,
                "a zoom of 1 shows the whole picture",
                saw: "a zoom of \(capabilities.zoom)"
            )
            try require(
                capabilities.sizes.allSatisfy { $0.width > 0 && $0.height > 0 }
                    && Set(capabilities.sizes).count == capabilities.sizes.count,
                "sizes are sizes, each once",
                saw: "\(capabilities.sizes)"
            )
            let stream = trial.camera.frames(limit: 4)
            for _ in 0..<6 {
                _ = try await trial.next(stream)
                let now = trial.camera.capabilities
                try require(
                    now == capabilities,
                    "they stay the same",
                    saw: "\(now), after \(capabilities)"
                )
            }
            try await trial.disconnect()
            try await trial.connect()
            let again = trial.camera.capabilities
            try require(
                again == capabilities,
                "they are the same again",
                saw: "\(again), after \(capabilities)"
            )
        },
        Case("state.reader", "watching ends with the task that watches") { trial in
            let states = trial.camera.states()
            let watching = Task { for await _ in states {} }
            watching.cancel()
            try await trial.end(
                of: watching,
                "a watcher that is cancelled ends",
                within: trial.harness.promptness
            )
            try await trial.connect()
            try await expect(.connected, trial)
        },
    ]

    private static func expect(_ state: CameraState, _ trial: Trial) async throws {
        let states = trial.camera.states()
        let first = try await trial.states(states, within: trial.harness.promptness) { _ in true }
        try require(first == [state], "the first state is the present one, \(state)", saw: "\(first)")
    }
}
