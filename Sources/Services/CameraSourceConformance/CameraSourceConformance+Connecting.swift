import Conformance
import Services

extension CameraSourceConformance {
    /// Cameras that connect, or say why they cannot.
    static let connecting: [Case] = [
        Case("connect.frames", "a camera that has connected says so, and frames follow") { trial in
            try await trial.connect()
            try await trial.checkIsOn(frames: 3)
        },
        Case("connect.twice", "connecting a connected camera is refused, and it stays connected") { trial in
            try await trial.connect()
            for _ in 0..<2 {
                let error = try await trial.failure("a connected camera refuses to connect") {
                    try await trial.camera.connect()
                }
                try require(
                    error == .sessionAlreadyRunning,
                    "it is refused as sessionAlreadyRunning",
                    saw: "“\(error)”"
                )
                try await trial.checkIsOn()
            }
        },
        Case("connect.together", "of two calls at once one connects, and the other joins it or is refused") {
            trial in
            let attempts = [trial.attempt(), trial.attempt()]
            var errors: [CameraError?] = []
            for attempt in attempts {
                try await errors.append(trial.end(of: attempt, "both calls return"))
            }
            let refusals = errors.compactMap { $0 }
            try require(
                refusals.count < 2 && refusals.allSatisfy { $0 == .sessionAlreadyRunning },
                "one call connects, and the other is at most refused as sessionAlreadyRunning",
                saw: "\(errors)"
            )
            try await trial.checkIsOn()
        },
        Case(
            "connect.again",
            "a camera connects again after it was disconnected, and counts from the beginning"
        ) {
            trial in
            // The last frame of the connection before, and how old that connection was at least.
            var last: (frame: VideoFrame, age: Duration)?
            for _ in 0..<3 {
                let beginning = ContinuousClock.now
                try await trial.connect()
                let connected = ContinuousClock.now
                let frames = try await trial.checkIsOn(frames: 4)
                let age = ContinuousClock.now - beginning
                try check(frames, since: beginning, trial)
                // On a machine so busy that this connection is as old as the former one was, numbers tell nothing.
                if let last, age * 2 < last.age {
                    try require(
                        frames[0].sequence < last.frame.sequence
                            && frames[0].timestamp < last.frame.timestamp,
                        "numbers and times of frames count from connecting",
                        saw:
                            "frame \(frames[0].sequence) at \(frames[0].timestamp), after \(last.frame.sequence)"
                    )
                }
                // Longer than it takes to connect again and read a frame, as far as this time tells.
                _ = try await trial.take(16, from: trial.camera.frames(limit: 4))
                let stream = trial.camera.frames(limit: 1)
                repeat {
                    // Before it is read: what comes then is hardly older.
                    let now = ContinuousClock.now - connected
                    last = (try await trial.next(stream), now)
                } while ContinuousClock.now - connected < age * 3
                try await trial.disconnect()
                try await trial.checkIsOff()
            }
        },
        Case(
            "connect.absent",
            "a device that is not there is an error that says so",
            needs: [.absent],
            on: .absent
        ) {
            try await checkRefusal(.absent, $0)
        },
        Case(
            "connect.denied",
            "a device that may not be used is an error that says so",
            needs: [.denied],
            on: .denied
        ) {
            try await checkRefusal(.denied, $0)
        },
    ]

    /// Connecting fails as it must, and leaves a camera that is off, again and again.
    private static func checkRefusal(_ trouble: CameraTrouble, _ trial: Trial) async throws {
        let watch = try await trial.watch()
        for _ in 0..<2 {
            let error = try await trial.failure("connecting fails without a device that can be used") {
                try await trial.camera.connect()
            }
            try trial.check(error, isFor: trouble)
            try await trial.checkIsOff()
            try await trial.checkIsOver(
                trial.camera.frames(limit: 1),
                "without a connection there are no frames"
            )
        }
        try await trial.disconnect()
        // No other state follows, behind which nothing could hide: the device is not there for a connection.
        try await Task.sleep(for: .milliseconds(500))
        let seen = watch.end()
        try require(seen == [.disconnected], "an attempt that fails changes no state", saw: "\(seen)")
        try await trial.checkIsOff()
    }
}
