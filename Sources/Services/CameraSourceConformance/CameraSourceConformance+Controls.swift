import Conformance
import Services

extension CameraSourceConformance {
    /// What can be changed while a camera works.
    static let controls: [Case] = [
        Case("control.off", "a camera that is off has no controls") { trial in
            for _ in 0..<2 {
                for control in [.zoom(1), .zoom(1_000), .focus(FocusPoint(x: 0.5, y: 0.5))] as [CameraControl]
                {
                    try await refuse(control, .deviceNotFound, trial)
                }
                try await trial.connect()
                try await trial.checkIsOn()
                try await trial.disconnect()
            }
        },
        Case("control.refused", "what a camera does not have is refused, and changes nothing") { trial in
            try await trial.connect()
            let capabilities = trial.camera.capabilities
            let wrong: [CameraControl] =
                [
                    .zoom(capabilities.zoom.upperBound + 1), .zoom(0.5), .zoom(-1), .zoom(.nan),
                    .zoom(.infinity),
                ]
                + [(-0.1, 0), (0, 1.1), (.nan, 0), (0, .infinity)].map { .focus(FocusPoint(x: $0, y: $1)) }
                + (capabilities.hasFocusPoint ? [] : [.focus(FocusPoint(x: 0.5, y: 0.5))])
            for control in wrong { try await refuse(control, .configurationFailed, trial) }
            if let zoom = try await trial.zoom() {
                try require(zoom == 1, "what is refused changes nothing", saw: "a zoom of \(zoom)")
            }
            try await trial.checkIsOn(frames: 4)
        },
        Case("control.accepted", "what a camera has is accepted, and frames go on") { trial in
            try await trial.connect()
            let capabilities = trial.camera.capabilities
            var right: [CameraControl] = [capabilities.zoom.upperBound, 1].map { .zoom($0) }
            if capabilities.hasFocusPoint {
                right += [(0, 0), (1, 1), (0.3, 0.7)].map { .focus(FocusPoint(x: $0, y: $1)) }
            }
            let stream = trial.camera.frames(limit: 4)
            for control in right {
                let before = try await trial.next(stream)
                try await accept(control, trial)
                let after = try await trial.take(3, from: stream)
                try require(
                    after[2].size == before.size,
                    "a control changes no size",
                    saw: "\(String(describing: after[2].size)) after \(String(describing: before.size))"
                )
            }
            try await trial.checkIsOn()
        },
        Case(
            "control.zoom",
            "a zoom is that of the device, and each connection begins with 1",
            needs: [.zoom]
        ) {
            trial in
            let range: ClosedRange<Double>
            try await trial.connect()
            range = trial.camera.capabilities.zoom
            try require(range.upperBound > 1, "a camera with that capability has a zoom", saw: "\(range)")
            for _ in 0..<2 {
                try await expect(zoom: 1, trial)
                for level in [range.upperBound, 1, (1 + range.upperBound) / 2] {
                    try await accept(.zoom(level), trial)
                    try await expect(zoom: level, trial)
                }
                try await trial.disconnect()
                try await trial.connect()
            }
        },
    ]

    private static func refuse(_ control: CameraControl, _ error: CameraError, _ trial: Trial) async throws {
        let thrown = try await trial.failure("\(control) is refused") {
            try await trial.camera.apply(control)
        }
        try require(thrown == error, "\(control) is refused as “\(error)”", saw: "“\(thrown)”")
    }

    private static func accept(_ control: CameraControl, _ trial: Trial) async throws {
        let requirement = "\(control) is accepted, since the camera can do it"
        try await trial.inTime(requirement) {
            try await requireSuccess(requirement) { try await trial.camera.apply(control) }
        }
    }

    /// Steps of a device may be as coarse as tenths.
    private static func expect(zoom level: Double, _ trial: Trial) async throws {
        guard let zoom = try await trial.zoom() else { return }
        try require(abs(zoom - level) <= 0.1, "the device enlarges \(level) times", saw: "\(zoom) times")
    }
}
