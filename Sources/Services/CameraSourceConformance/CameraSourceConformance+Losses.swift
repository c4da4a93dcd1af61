import Conformance
import Services

extension CameraSourceConformance {
    /// Devices that go away.
    static let losses: [Case] = [
        Case(
            "loss.known",
            "a camera that is lost says so, with the right error, and has no frame",
            needs: [.loss]
        ) {
            trial in
            try await trial.connect()
            let states = trial.camera.states()
            try await trial.checkIsOn(frames: 3)
            try await trial.lose()
            let story = try await trial.states(states) { if case .lost = $0 { true } else { false } }
            guard story.count == 2, story[0] == .connected, case .lost(let error) = story[1] else {
                throw ConformanceFailure("a connected camera is lost, and nothing else", saw: "\(story)")
            }
            try trial.check(error, isFor: .loss)
            let frame = try await trial.newest()
            try require(
                frame == nil,
                "a lost camera has no newest frame",
                saw: "frame \(frame?.sequence ?? -1)"
            )
            let refusal = try await trial.failure("a lost camera has no controls") {
                try await trial.camera.apply(.zoom(1))
            }
            try require(
                refusal == .deviceNotFound,
                "they are refused as deviceNotFound",
                saw: "“\(refusal)”"
            )
        },
        Case("loss.disconnect", "a lost camera can be disconnected, and is off then", needs: [.loss]) {
            trial in
            try await trial.connect()
            let (late, quick) = (trial.camera.frames(limit: 4), trial.camera.frames(limit: 4))
            _ = try await trial.next(late)
            _ = try await trial.take(5, from: quick)
            try await lose(trial)
            try await trial.disconnect()
            try await trial.checkIsOff()
            try await trial.checkIsOver(late, "no frame that waited comes after a disconnect")
            try await trial.checkIsOver(quick, "no frame comes after a disconnect")
        },
        Case(
            "loss.again",
            "a lost camera connects again when its device is back, and counts from the beginning",
            needs: [.loss]
        ) {
            trial in
            for _ in 0..<2 {
                let beginning = ContinuousClock.now
                try await trial.connect()
                let frames = try await trial.checkIsOn(frames: 4)
                try check(frames, since: beginning, trial)
                try await lose(trial)
                try await trial.disconnect()
                try await trial.giveBack()
            }
            try await trial.connect()
            try await trial.checkIsOn()
        },
        Case(
            "loss.final",
            "a lost camera ends its streams, and stays lost when its device is back",
            needs: [.loss],
            unless: .recovery
        ) { trial in
            try await trial.connect()
            let states = trial.camera.states()
            _ = try await trial.states(states) { _ in true }
            let stream = trial.camera.frames(limit: 2)
            let reader = Task { while await stream.next() != nil {} }
            try await trial.checkIsOn()
            try await lose(trial)
            try await trial.end(
                of: reader,
                "a reader that waits learns of a loss",
                within: trial.harness.promptness
            )
            try await trial.giveBack()
            let told = try await trial.states(states) { if case .lost = $0 { true } else { false } }
            try require(told.count == 1, "it is lost once", saw: "\(told)")
            try await Task.sleep(for: .seconds(2))
            let state = try await trial.state()
            guard case .lost = state else { throw ConformanceFailure("it stays lost", saw: "\(state)") }
            let frame = try await trial.newest()
            try require(frame == nil, "it has no frame", saw: "frame \(frame?.sequence ?? -1)")
            try await trial.disconnect()
            let next = try await trial.states(states) { _ in true }
            try require(next == [.disconnected], "a loss comes once", saw: "\(next)")
        },
        Case(
            "loss.recovery",
            "a camera that looks for its device is connected when that is back, and frames go on",
            needs: [.loss, .recovery]
        ) { trial in
            try await trial.connect()
            let states = trial.camera.states()
            let stream = trial.camera.frames(limit: 4)
            let before = try await trial.take(3, from: stream)
            try await lose(trial)
            try await trial.giveBack()
            var story = try await trial.states(states) { if case .lost = $0 { true } else { false } }
            story += try await trial.states(states) { _ in true }
            guard story.count == 3, story[0] == .connected, story[2] == .connected else {
                throw ConformanceFailure("it is connected, lost, connected", saw: "\(story)")
            }
            let after = try await trial.take(3, from: stream)
            try require(
                after[0].sequence > before[2].sequence && after[0].timestamp >= before[2].timestamp,
                "frames go on where they ended",
                saw: "\(after[0].sequence) after \(before[2].sequence)"
            )
            try await trial.checkIsOn()
        },
    ]

    private static func lose(_ trial: Trial) async throws {
        let states = trial.camera.states()
        try await trial.lose()
        _ = try await trial.states(states) { if case .lost = $0 { true } else { false } }
    }
}
