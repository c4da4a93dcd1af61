extension WrongSecretStore.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .failureIsAbsence: ["trouble.reading": "a failure is no absence; saw success"]
        case .ignoresCase: ["read.absent": "“Present” is absent"]
        case .plainFile: ["discretion.files": "no file contains a secret"]
        case .losesChanges: ["change.together": "“name 2” is the 7 bytes that were stored; saw nothing"]
        case .deletesAll:
            [
                "change.absent": "“a” is the 5 bytes that were stored; saw nothing",
                "change.deleted": "“b” is the 6 bytes that were stored; saw nothing",
                "change.kept": "“c” is the 5 bytes that were stored; saw nothing",
                "change.together": "“name 0” is the 7 bytes that were stored; saw nothing",
            ]
        case .talkative: ["discretion.description": "a store"]
        case .errorWithValue: ["trouble.changing": "no error contains a secret"]
        case .emptyIsAbsence: ["change.empty": "“empty” is the 0 bytes that were stored; saw nothing"]
        case .trimsSecrets:
            [
                "change.stored": "“spaces” is the 25 bytes that were stored",
                "read.whole": "“spaces” is the 25 bytes that were stored",
            ]
        case .cutsLongSecrets:
            [
                "change.replaced": "“a” is the 3000 bytes that were stored",
                "change.stored": "“long” is the 32000 bytes that were stored",
                "read.whole": "“long” is the 32000 bytes that were stored",
            ]
        case .refusesAbsence: ["change.absent": "“absent” can be stored"]
        case .deletesNothing:
            [
                "change.deleted": "“a” is absent",
                "change.kept": "“a” is absent",
                "change.together": "“gone” is absent",
            ]
        case .readsOnce:
            [
                "change.stored": "“plain” is the 18 bytes that were stored; saw nothing",
                "change.together": "“name 0” is the 7 bytes that were stored; saw nothing",
                "read.again": "“a” is the 5 bytes that were stored; saw nothing",
            ]
        case .forgetsAll: ["change.kept": "“b” is the 7 bytes that were stored; saw nothing"]
        case .failsTooLate: ["trouble.changing": "“a” is the 15 bytes that were stored; saw nothing"]
        }
    }
}
