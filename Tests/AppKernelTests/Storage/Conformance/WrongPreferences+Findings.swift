extension WrongPreferences.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .beginsFull:
            [
                "read.absent": "a value that was never stored is nil",
                "read.empty": "a store that holds nothing has nothing",
            ]
        case .ignoresCase: ["read.absent": "a value that was never stored is nil"]
        case .trimsNames: ["read.absent": "a value that was never stored is nil"]
        case .emptyIsAbsence:
            [
                "change.replaced": "a value is replaced, and no other",
                "keep.reopened": "the next program finds what was stored",
                "read.values": "a value comes back byte for byte",
            ]
        case .trimsValues: ["read.values": "a value comes back byte for byte"]
        case .endsAtZero: ["read.values": "a value comes back byte for byte"]
        case .composesLetters: ["read.values": "a value comes back byte for byte"]
        case .cutsLongValues: ["read.long": "a long value comes back whole"]
        case .keepsFew: ["read.many": "a value of many comes back"]
        case .readsOnce:
            [
                "change.deleted": "a deleted value can be stored again",
                "change.replaced": "a value is replaced, and no other",
                "keep.crashed": "a change is there as a whole or not at all",
                "keep.reopened": "the program after that finds it, too",
                "read.again": "reading changes nothing",
                "together.apart": "no change is lost",
            ]
        case .deletesNothing:
            [
                "change.deleted": "the deleted value is nil alone",
                "change.one": "a deleted value is nil",
                "change.several": "each of several values is as it was to be",
                "keep.reopened": "the next program finds what was stored",
                "together.apart": "no deletion is lost",
            ]
        case .deletesAll:
            [
                "change.absent": "deleting what is absent is harmless",
                "change.deleted": "the deleted value is nil alone",
                "change.several": "each of several values is as it was to be",
                "keep.reopened": "the next program finds what was stored",
                "together.apart": "no change is lost",
            ]
        case .refusesAbsence: ["change.absent": "values can be stored"]
        case .replacesAll:
            [
                "change.absent": "deleting what is absent is harmless",
                "change.deleted": "the deleted value is nil alone",
                "change.none": "storing no value is harmless",
                "change.replaced": "a value is replaced, and no other",
                "change.several": "each of several values is as it was to be",
                "keep.reopened": "the next program finds what was stored",
                "together.apart": "no change is lost",
            ]
        case .storesOne:
            [
                "change.deleted": "the deleted value is nil alone",
                "change.replaced": "a value is replaced, and no other",
                "change.several": "each of several values is as it was to be",
                "keep.crashed": "a change is there as a whole or not at all",
                "keep.reopened": "the next program finds what was stored",
                "read.again": "reading changes nothing",
                "read.many": "a value of many comes back",
                "read.names": "a name has its own value",
                "read.values": "a value comes back byte for byte",
                "together.whole": "all values are of one change",
                "trouble.changing": "a change that failed has changed nothing",
            ]
        case .refusesNothing: ["change.none": "values can be stored"]
        case .losesChanges: ["together.apart": "no change is lost"]
        case .mixesChanges: ["together.whole": "all values are of one change"]
        case .forgetsAll:
            [
                "keep.crashed": "a change is there as a whole or not at all",
                "keep.reopened": "the next program finds what was stored",
            ]
        case .bringsBack: ["keep.reopened": "the next program finds what was stored"]
        case .endsInTheMiddle: ["keep.crashed": "a change is there as a whole or not at all"]
        case .confirmsEarly: ["keep.crashed": "a change is there as a whole or not at all"]
        case .failureIsAbsence: ["trouble.reading": "a failure is no absence; saw success"]
        case .failsInSilence: ["trouble.changing": "a change that fails is reported; saw success"]
        case .failsInTheMiddle: ["trouble.changing": "a change that failed has changed nothing"]
        case .wordless:
            [
                "trouble.changing": "an error says what is wrong",
                "trouble.reading": "an error says what is wrong",
            ]
        }
    }
}
