import Conformance
import Services

extension CameraSourceConformance {
    /// Cameras that are off.
    static let disconnecting: [Case] = [
        Case("disconnect.never", "a camera that was never connected is off, and disconnecting it is harmless")
        {
            trial in
            for _ in 0..<2 {
                try await trial.checkIsOff()
                try await trial.checkIsOver(
                    trial.camera.frames(limit: 1),
                    "without a connection there are no frames"
                )
                try await trial.disconnect()
            }
            try await trial.connect()
            try await trial.checkIsOn()
        },
        Case("disconnect.twice", "disconnecting is idempotent, also by two at once") { trial in
            try await trial.connect()
            try await trial.checkIsOn()
            try await trial.inTime("disconnecting returns", within: trial.harness.promptness) {
                async let other: Void = trial.camera.disconnect()
                await trial.camera.disconnect()
                await other
            }
            try await trial.checkIsOff()
            try await trial.disconnect()
            try await trial.checkIsOff()
        },
        Case("disconnect.frames", "no frame comes after a disconnect, not even one that was waiting") {
            trial in
            try await trial.connect()
            let (late, quick) = (trial.camera.frames(limit: 4), trial.camera.frames(limit: 4))
            _ = try await trial.next(late)
            _ = try await trial.take(5, from: quick)
            try await trial.disconnect()
            try await trial.checkIsOver(late, "no frame that waited comes after a disconnect")
            try await trial.checkIsOver(quick, "no frame comes after a disconnect")
            try await trial.checkIsOff()
        },
        Case("disconnect.reader", "a reader that waits for a frame learns of a disconnect") { trial in
            try await trial.connect()
            let stream = trial.camera.frames(limit: 2)
            let reader = Task { while await stream.next() != nil {} }
            _ = try await trial.take(3, from: trial.camera.frames(limit: 2))
            try await trial.disconnect()
            try await trial.end(
                of: reader,
                "a reader that waits gets nothing more",
                within: trial.harness.promptness
            )
        },
        Case("disconnect.stream", "a stream of a connection has no frame of a later one") { trial in
            try await trial.connect()
            let stream = trial.camera.frames(limit: 2)
            _ = try await trial.next(stream)
            try await trial.disconnect()
            try await trial.connect()
            try await trial.checkIsOn()
            try await trial.checkIsOver(stream, "a stream ends with its connection")
        },
    ]
}
