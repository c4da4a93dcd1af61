import Conformance
import Services

extension PermissionAuthorityConformance {
    private static let granted: [DevicePermission: PermissionStatus] = [
        .camera: .granted, .microphone: .granted,
    ]

    /// What has been decided.
    static let states: [Case] = [
        Case("status.granted", "what was granted is granted, as often as it is looked at", decided: granted) {
            trial in
            for permission in DevicePermission.allCases + DevicePermission.allCases {
                try trial.expect(.granted, permission, "what was granted is granted")
            }
        },
        Case(
            "status.denied",
            "each permission has its own decision",
            decided: [.camera: .denied, .microphone: .granted],
            needs: [.denies]
        ) { trial in
            try trial.expect(.denied, .camera, "what was denied is denied")
            try trial.expect(.granted, .microphone, "the other permission is granted")
        },
        Case("status.silent", "nobody is asked by who looks at what was decided", needs: [.asks]) { trial in
            for permission in DevicePermission.allCases {
                try trial.expect(.notDetermined, permission, "nothing was decided")
            }
            try await trial.expectQuestions([], "nobody is asked by who looks")
        },
    ]

    /// Requests for what was decided before.
    static let decided: [Case] = [
        Case("decided.granted", "a request for what was granted returns that at once", decided: granted) {
            trial in
            for permission in DevicePermission.allCases {
                try await trial.request(
                    permission,
                    is: .granted,
                    "what was granted is granted",
                    within: .seconds(1)
                )
            }
        },
        Case(
            "decided.denied",
            "a request for what was denied returns that at once, and changes nothing",
            decided: [.camera: .denied, .microphone: .granted],
            needs: [.denies]
        ) { trial in
            try await trial.request(.camera, is: .denied, "what was denied is denied", within: .seconds(1))
            try trial.expect(.denied, .camera, "what was denied stays denied")
            try trial.expect(.granted, .microphone, "the other permission stays as it is")
        },
        Case(
            "decided.silent",
            "nobody is asked about what was decided",
            decided: [.camera: .denied, .microphone: .granted],
            needs: [.denies, .asks]
        ) { trial in
            for permission in DevicePermission.allCases { _ = await trial.authority.request(permission) }
            try await trial.expectQuestions([], "nobody is asked about what was decided")
        },
        Case(
            "decided.settings",
            "a decision that was changed in the settings holds at once",
            decided: granted,
            needs: [.denies, .settings]
        ) { trial in
            for status in [PermissionStatus.denied, .granted] {
                try await trial.decide(.camera, status)
                try trial.expect(status, .camera, "the changed decision holds")
                try await trial.request(.camera, is: status, "the changed decision is returned")
                try trial.expect(.granted, .microphone, "the other permission stays as it is")
            }
        },
    ]

    /// Requests for what was not decided.
    static let asking: [Case] = [
        Case(
            "ask.granted",
            "what is allowed is returned, and holds from then on",
            answers: granted,
            needs: [.asks]
        ) { trial in
            try await trial.request(.camera, is: .granted, "what the person answers is returned")
            try trial.expect(.granted, .camera, "what was answered holds")
            try await trial.expectQuestions([.camera], "the person is asked once, about this permission")
        },
        Case(
            "ask.denied",
            "what is refused is returned, and holds from then on",
            answers: [.camera: .denied, .microphone: .granted],
            needs: [.asks, .denies]
        ) { trial in
            try await trial.request(.camera, is: .denied, "what the person answers is returned")
            try trial.expect(.denied, .camera, "what was answered holds")
        },
        Case("ask.once", "an answered question is not asked again", answers: granted, needs: [.asks]) {
            trial in
            for _ in 0..<3 {
                try await trial.request(.microphone, is: .granted, "what the person answers is returned")
            }
            try await trial.expectQuestions([.microphone], "an answered question is not asked again")
        },
        Case(
            "ask.apart",
            "an answer decides about one permission alone",
            answers: [.camera: .granted, .microphone: .denied],
            needs: [.asks, .denies]
        ) { trial in
            try await trial.request(.camera, is: .granted, "what the person answers is returned")
            try trial.expect(.notDetermined, .microphone, "nothing was decided about the other permission")
            try await trial.request(.microphone, is: .denied, "the other answer is its own")
            try trial.expect(.granted, .camera, "the first answer stays")
        },
        Case("ask.together", "two who ask at once have the same decision", answers: granted, needs: [.asks]) {
            trial in
            let authority = trial.authority
            let decisions = try await requireEnd("both requests end", within: trial.patience) {
                async let first = authority.request(.camera)
                async let second = authority.request(.camera)
                return await [first, second]
            }
            try require(decisions.map(\.rawValue), is: ["granted", "granted"], "both have the decision")
            try trial.expect(.granted, .camera, "it holds from then on")
        },
        Case(
            "ask.open",
            "a question that is left open decides nothing, and is asked again",
            needs: [.asks, .open]
        ) { trial in
            for _ in 0..<2 {
                try await trial.request(.camera, is: .notDetermined, "an open question decides nothing")
                try trial.expect(.notDetermined, .camera, "nothing was decided")
            }
            try await trial.expectQuestions([.camera, .camera], "an open question is asked again")
        },
    ]
}
