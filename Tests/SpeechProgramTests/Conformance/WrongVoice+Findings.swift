extension WrongVoice.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .returnsAtOnce:
            [
                "cancel.before": "a cancelled task says nothing to its end",
                "cancel.cutsOff": "a cancelled call falls silent",
                "cancel.next": "a cancelled call falls silent",
                "speak.lasts": "a call lasts as long as its text is heard",
                "stop.cutsOff": "a voice that is stopped falls silent",
                "stop.next": "a voice that is stopped falls silent",
                "stop.silence": "a voice that is stopped falls silent",
                "stop.twice": "a voice that is stopped falls silent",
            ]
        case .hasOnePace:
            [
                "cancel.cutsOff": "a cancelled call falls silent",
                "cancel.next": "a cancelled call falls silent",
                "speak.lasts": "a call lasts as long as its text is heard",
                "stop.cutsOff": "a voice that is stopped falls silent",
                "stop.next": "a voice that is stopped falls silent",
                "stop.silence": "a voice that is stopped falls silent",
                "stop.twice": "a voice that is stopped falls silent",
            ]
        case .neverReturns:
            [
                "cancel.before": "a call of a cancelled task returns; saw nothing within 30.0 seconds",
                "cancel.cutsOff": "a cancelled call falls silent, and the call returns",
                "cancel.next": "a cancelled call falls silent, and the call returns",
                "speak.lasts": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "speak.letters": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "speak.nothing": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "speak.order": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "speak.returns": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "stop.cutsOff": "a voice that is stopped falls silent, and the call returns",
                "stop.idle": "a call returns when its text was heard; saw nothing within 30.0 seconds",
                "stop.next": "a voice that is stopped falls silent, and the call returns",
                "stop.silence": "a voice that is stopped falls silent, and the call returns",
                "stop.twice": "a voice that is stopped falls silent, and the call returns",
            ]
        case .waitsForWords:
            ["speak.nothing": "a call returns when its text was heard; saw nothing within 30.0 seconds"]
        case .saysOneSentence:
            [
                "cancel.cutsOff": "a cancelled call falls silent",
                "cancel.next": "a cancelled call falls silent",
                "speak.order": "sentences are heard in order",
                "stop.cutsOff": "a voice that is stopped falls silent",
                "stop.next": "a voice that is stopped falls silent",
                "stop.silence": "a voice that is stopped falls silent",
                "stop.twice": "a voice that is stopped falls silent",
            ]
        case .skipsRepetitions: ["speak.order": "each sentence is heard once; saw 3, not 4"]
        case .speaksTwice:
            [
                "speak.letters": "a text is said as it is",
                "speak.order": "each sentence is heard once; saw 8, not 4",
                "stop.silence": "nothing is heard after a stop; saw 2, not 1",
            ]
        case .readsMarkup: ["speak.letters": "a text is said as it is"]
        case .ignoresStops:
            [
                "stop.cutsOff": "a voice that is stopped falls silent, and the call returns",
                "stop.next": "a voice that is stopped falls silent, and the call returns",
                "stop.silence": "a voice that is stopped falls silent, and the call returns",
                "stop.twice": "a voice that is stopped falls silent, and the call returns",
            ]
        case .stopsInSecret:
            [
                "cancel.before": "a cancelled task says nothing to its end",
                "cancel.cutsOff": "a cancelled call falls silent",
                "cancel.next": "a cancelled call falls silent",
                "stop.cutsOff": "a voice that is stopped falls silent",
                "stop.next": "a voice that is stopped falls silent",
                "stop.silence": "a voice that is stopped falls silent",
                "stop.twice": "a voice that is stopped falls silent",
            ]
        case .saysMore: ["stop.silence": "nothing is heard after a stop; saw 2, not 1"]
        case .stopWaits:
            [
                "stop.cutsOff": "a voice that is stopped falls silent, and says so",
                "stop.next": "a voice that is stopped falls silent, and says so",
                "stop.silence": "a voice that is stopped falls silent, and says so",
                "stop.twice": "a voice that is stopped falls silent, and says so",
            ]
        case .keepsStops:
            [
                "stop.idle": "the next sentence is heard whole",
                "stop.twice": "the next sentence is heard whole",
            ]
        case .staysSilent:
            [
                "stop.idle": "the next sentence is heard whole",
                "stop.next": "the next sentence is heard whole",
                "stop.twice": "the next sentence is heard whole",
            ]
        case .hangsWhenIdle: ["stop.idle": "stopping a silent voice returns; saw nothing within 30.0 seconds"]
        case .hangsAtSecondStop:
            [
                "stop.idle": "stopping a silent voice returns; saw nothing within 30.0 seconds",
                "stop.twice": "a voice that is stopped falls silent, and says so",
            ]
        case .ignoresCancellation:
            [
                "cancel.before": "a call of a cancelled task returns; saw nothing within 30.0 seconds",
                "cancel.cutsOff": "a cancelled call falls silent, and the call returns",
                "cancel.next": "a cancelled call falls silent, and the call returns",
            ]
        case .beginsCancelled:
            ["cancel.before": "a call of a cancelled task returns; saw nothing within 30.0 seconds"]
        case .staysCancelled: ["cancel.next": "the next sentence is heard whole"]
        }
    }
}
