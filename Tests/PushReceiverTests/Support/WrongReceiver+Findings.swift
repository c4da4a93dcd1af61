extension WrongReceiver.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .forgetsPermission:
            [
                "arrive.outage": "notifications are allowed; saw false, not true",
                "permission.granted": "a permission that is given is true; saw false, not true",
                "token.each": "notifications are allowed; saw false, not true",
            ]
        case .tokenInSpiteOfNo: ["permission.denied": "without permission there is no token"]
        case .tokenBefore: ["permission.before": "before the person is asked there is no token"]
        case .forgetsWaiting: ["token.waits": "a waiting reader gets the token; saw none"]
        case .staleToken: ["token.changed": "a new reader gets the present token"]
        case .silentChange:
            [
                "token.changed": "another token comes; saw nothing within 30.0 seconds",
                "token.ends": "another reader goes on; saw nothing within 30.0 seconds",
            ]
        case .endsAll: ["token.ends": "another reader goes on"]
        case .rewritesPayload: ["arrive.whole": "a payload is what was sent"]
        case .showsNothing:
            [
                "arrive.shown": "what arrives is shown once",
                "arrive.twice": "it is shown once; saw 0, not 1",
            ]
        case .oneID:
            [
                "arrive.several": "each has an ID of its own; saw 1, not 5",
                "arrive.twice": "it arrives once; saw First, not Second",
            ]
        case .oneReader:
            [
                "arrive.each": "what is sent arrives; saw nothing within 30.0 seconds",
                "arrive.later": "what is sent arrives; saw nothing within 30.0 seconds",
            ]
        case .replays: ["arrive.later": "nothing from before arrives; saw Before, not After"]
        case .tapsItself: ["arrive.untapped": "what arrives is not tapped"]
        case .showsAgain: ["arrive.twice": "it arrives once; saw First, not Second"]
        case .losesOutage: ["arrive.outage": "what is sent arrives; saw nothing within 30.0 seconds"]
        case .losesTaps:
            [
                "tap.all": "taps wait; saw nothing within 30.0 seconds",
                "tap.waits": "a tap waits for a reader",
            ]
        case .keepsTaps: ["tap.waits": "a tap is given to one reader"]
        case .stacksTaps: ["tap.all": "taps wait in their order"]
        case .emptyTaps:
            [
                "tap.all": "taps wait in their order",
                "tap.reader": "a tap is of the notification",
                "tap.waits": "a tap waits for a reader",
            ]
        }
    }
}
