extension WrongMonitor.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .neverConnected:
            [
                "state.connected": "a device with a network is connected; saw false, not true",
                "state.newest": "a change that was read holds now; saw false, not true",
            ]
        case .alwaysConnected:
            [
                "end.later": "the last state stands; saw true, not false",
                "state.disconnected": "a device without a network is not connected; saw true, not false",
                "state.newest": "a change that was read holds now; saw true, not false",
            ]
        case .staleNow:
            [
                "end.later": "the last state stands; saw true, not false",
                "state.newest": "a change that was read holds now; saw true, not false",
            ]
        case .nothingAtFirst:
            [
                "change.behind": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.each": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.first": "the present state comes at once; saw nothing within 1.0 seconds",
                "change.firstOff": "the present state comes at once; saw nothing within 1.0 seconds",
                "change.later": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.meanwhile": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.once": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.readers": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.all": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.cancelled": "1 values come; saw nothing within 20.0 seconds",
                "end.constant": "a reader has the state; saw [], not [true]",
                "end.later": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.others": "1 values come; saw nothing within 20.0 seconds",
                "state.newest": "a network that has gone is reported; saw nothing within 20.0 seconds",
            ]
        case .beginsConnected:
            [
                "change.behind": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.each": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.firstOff": "a reader begins with the present state; saw true, not false",
                "change.later": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.meanwhile": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.once": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.readers": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.all": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.later": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "end.others": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "state.newest": "a network that has gone is reported; saw nothing within 20.0 seconds",
            ]
        case .onlyLosses:
            [
                "change.behind": "a reader that is behind has the newest state in the end",
                "change.each": "5 values come; saw nothing within 20.0 seconds",
                "change.later": "2 values come; saw nothing within 20.0 seconds",
                "change.meanwhile": "a network that has come is reported; saw nothing within 20.0 seconds",
                "change.once": "3 values come; saw nothing within 20.0 seconds",
                "change.readers": "3 values come; saw nothing within 20.0 seconds",
            ]
        case .doubled:
            [
                "change.each": "each change is reported, in order",
                "change.once": "a change is reported once",
                "change.readers": "each reader has every change",
                "end.all": "what was reported before the end is read",
            ]
        case .repeatsItself:
            ["change.once": "a change is reported once; saw [true, true, false], not [true, false, true]"]
        case .oneReader:
            [
                "change.behind": "a reader that is behind has the newest state in the end",
                "change.each": "5 values come; saw nothing within 20.0 seconds",
                "change.meanwhile": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.once": "3 values come; saw nothing within 20.0 seconds",
                "change.readers": "3 values come; saw nothing within 20.0 seconds",
                "end.all": "the changes of a reader end; saw nothing within 20.0 seconds",
            ]
        case .replays:
            [
                "change.later": "a later reader begins with the present state",
                "end.later": "a later reader has the last state; saw [true, false], not [false]",
            ]
        case .registersLate:
            [
                "change.each": "5 values come; saw nothing within 20.0 seconds",
                "change.later": "2 values come; saw nothing within 20.0 seconds",
                "change.meanwhile": "a network that has gone is reported; saw nothing within 20.0 seconds",
                "change.once": "3 values come; saw nothing within 20.0 seconds",
                "change.readers": "3 values come; saw nothing within 20.0 seconds",
                "end.all": "what was reported before the end is read; saw [true], not [true, false]",
            ]
        case .keepsOldest:
            [
                "change.behind": "a reader that is behind has the newest state in the end",
                "change.each": "5 values come; saw nothing within 20.0 seconds",
            ]
        case .ignoresCancellation:
            ["change.behind": "a reader that is behind has the newest state in the end"]
        case .endsAll:
            [
                "change.behind": "a reader that is behind has the newest state in the end",
                "change.each": "each change is reported, in order",
                "change.once": "a change is reported once; saw [true, false], not [true, false, true]",
                "change.readers": "each reader has every change; saw [true, false], not [true, false, true]",
                "end.others": "the other reader has the change; saw [], not [false]",
            ]
        case .neverEnds:
            [
                "end.all": "the changes of a reader end; saw nothing within 20.0 seconds",
                "end.constant": "the changes end after the state; saw nothing within 20.0 seconds",
                "end.later": "the changes of a later reader end; saw nothing within 20.0 seconds",
            ]
        case .nothingAfterTheEnd:
            [
                "end.constant": "a reader has the state; saw [], not [true]",
                "end.later": "a later reader has the last state; saw [], not [false]",
            ]
        case .laterReadersWait:
            [
                "end.constant": "the changes end after the state; saw nothing within 20.0 seconds",
                "end.later": "the changes of a later reader end; saw nothing within 20.0 seconds",
            ]
        case .constantWaits:
            ["end.constant": "the changes end after the state; saw nothing within 20.0 seconds"]
        }
    }
}
