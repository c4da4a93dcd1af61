extension WrongAuthority.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .statusAsks:
            [
                "ask.granted": "the person is asked once, about this permission",
                "ask.open": "an open question is asked again",
                "status.silent": "nobody is asked by who looks",
            ]
        case .forgetsDecisions:
            [
                "ask.apart": "the first answer stays; saw notDetermined, not granted",
                "ask.denied": "what was answered holds; saw notDetermined, not denied",
                "ask.granted": "what was answered holds; saw notDetermined, not granted",
                "ask.together": "it holds from then on; saw notDetermined, not granted",
                "decided.denied": "what was denied stays denied; saw notDetermined, not denied",
                "decided.settings": "the changed decision holds; saw notDetermined, not denied",
                "status.denied": "what was denied is denied; saw notDetermined, not denied",
                "status.granted": "what was granted is granted; saw notDetermined, not granted",
            ]
        case .changesItsMind:
            [
                "decided.settings": "the other permission stays as it is; saw notDetermined, not granted",
                "status.granted": "what was granted is granted; saw notDetermined, not granted",
            ]
        case .oneForAll:
            [
                "ask.apart": "nothing was decided about the other permission",
                "decided.denied": "the other permission stays as it is; saw denied, not granted",
                "decided.settings": "the other permission stays as it is; saw denied, not granted",
                "status.denied": "the other permission is granted; saw denied, not granted",
            ]
        case .denialIsNothing:
            [
                "ask.denied": "what was answered holds; saw notDetermined, not denied",
                "decided.denied": "what was denied stays denied; saw notDetermined, not denied",
                "decided.settings": "the changed decision holds; saw notDetermined, not denied",
                "status.denied": "what was denied is denied; saw notDetermined, not denied",
            ]
        case .asksAgain:
            [
                "ask.once": "an answered question is not asked again",
                "decided.silent": "nobody is asked about what was decided",
            ]
        case .overrules:
            [
                "decided.denied": "what was denied is denied; saw granted, not denied",
                "decided.settings": "the changed decision is returned; saw granted, not denied",
            ]
        case .isSlow:
            [
                "decided.denied": "a request ends; saw nothing within 1.0 seconds",
                "decided.granted": "a request ends; saw nothing within 1.0 seconds",
            ]
        case .ignoresSettings:
            [
                "ask.once": "an answered question is not asked again",
                "decided.settings": "the changed decision holds; saw granted, not denied",
            ]
        case .keepsNoAnswer:
            [
                "ask.apart": "the first answer stays; saw notDetermined, not granted",
                "ask.denied": "what was answered holds; saw notDetermined, not denied",
                "ask.granted": "what was answered holds; saw notDetermined, not granted",
                "ask.once": "an answered question is not asked again",
                "ask.together": "it holds from then on; saw notDetermined, not granted",
            ]
        case .grantsRefusals:
            [
                "ask.apart": "the other answer is its own; saw granted, not denied",
                "ask.denied": "what the person answers is returned; saw granted, not denied",
            ]
        case .asksAboutAll:
            [
                "ask.apart": "nothing was decided about the other permission",
                "ask.granted": "the person is asked once, about this permission",
                "ask.once": "an answered question is not asked again",
                "ask.open": "an open question is asked again",
            ]
        case .refusesSecond: ["ask.together": "both have the decision"]
        case .openIsRefusal: ["ask.open": "an open question decides nothing; saw denied, not notDetermined"]
        case .asksOnce: ["ask.open": "an open question is asked again"]
        }
    }
}
