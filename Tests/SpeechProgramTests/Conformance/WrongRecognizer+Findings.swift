extension WrongRecognizer.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .preparesOnce: ["prepare.again": "a recognizer is made ready"]
        case .absentIsFailure:
            [
                "prepare.absent":
                    "a missing recognizer is unavailable; saw recognitionFailed, not unavailable",
                "recognize.absent":
                    "a missing recognizer is unavailable; saw recognitionFailed, not unavailable",
            ]
        case .absentPrepares: ["prepare.absent": "a missing recognizer is an error; saw success"]
        case .absentRecognizes: ["recognize.absent": "a missing recognizer is an error; saw success"]
        case .prepareHangs:
            ["prepare.cancelled": "a cancelled task is answered promptly; saw nothing within 30.0 seconds"]
        case .cancelledIsBusy:
            [
                "cancel.begin": "a cancelled task has no other error",
                "prepare.cancelled": "a cancelled task has no other error",
            ]
        case .beginHangs:
            ["cancel.begin": "a cancelled task is answered promptly; saw nothing within 30.0 seconds"]
        case .noFinal:
            [
                "cancel.again": "the next recording is understood",
                "finish.after": "the last transcript is final",
                "recognize.again": "each recording is understood",
                "recognize.final": "the last transcript is final",
                "recognize.words": "the final transcript has the words",
            ]
        case .twoFinals:
            [
                "finish.after": "one transcript is final; saw 2, not 1",
                "recognize.final": "one transcript is final; saw 2, not 1",
            ]
        case .finalForEver:
            [
                "finish.after": "one transcript is final; saw 998, not 1",
                "finish.early": "one transcript is final; saw 998, not 1",
                "finish.twice": "one transcript is final; saw 998, not 1",
                "finish.waiting": "one transcript is final; saw 998, not 1",
                "recognize.final": "one transcript is final; saw 998, not 1",
            ]
        case .partialsAreFinal:
            [
                "finish.after": "one transcript is final; saw 2, not 1",
                "finish.early": "one transcript is final; saw 2, not 1",
                "finish.twice": "one transcript is final; saw 2, not 1",
                "finish.waiting": "one transcript is final; saw 2, not 1",
                "recognize.final": "one transcript is final; saw 2, not 1",
                "recognize.partials": "words come before the end; saw none",
                "trouble.microphone": "what fails is an error; saw success",
                "trouble.recognizer": "what fails is an error; saw success",
            ]
        case .finalIsEmpty:
            [
                "cancel.again": "the next recording is understood",
                "recognize.again": "each recording is understood",
                "recognize.words": "the final transcript has the words",
            ]
        case .noPartials: ["recognize.partials": "words come before the end; saw none"]
        case .oneRecording:
            [
                "cancel.again": "a recognition begins",
                "recognize.again": "a recognition begins",
            ]
        case .ignoresFinish:
            [
                "finish.early": "the transcripts come to an end; saw nothing within 30.0 seconds",
                "finish.twice": "the transcripts come to an end; saw nothing within 30.0 seconds",
                "finish.waiting": "the transcripts come to an end; saw nothing within 30.0 seconds",
            ]
        case .finishIsSilent:
            [
                "finish.early": "the last transcript is final",
                "finish.twice": "the last transcript is final",
                "finish.waiting": "the last transcript is final",
            ]
        case .earlyFinishFails:
            [
                "finish.early": "a recording is understood",
                "finish.twice": "a recording is understood",
            ]
        case .finishRepeats: ["finish.twice": "one transcript is final; saw 2, not 1"]
        case .finishAfterEnd:
            [
                "finish.after": "nothing comes after the final transcript",
                "finish.twice": "nothing comes after the final transcript",
            ]
        case .ignoresCancellation:
            [
                "cancel.again": "a cancelled reader is answered promptly; saw nothing within 30.0 seconds",
                "cancel.next": "a cancelled reader is answered promptly; saw nothing within 30.0 seconds",
            ]
        case .cancelledIsEnd: ["cancel.next": "a cancelled reader has an error; saw the end"]
        case .cancelledGoesOn: ["cancel.next": "nothing comes after a cancellation"]
        case .cancelledForEver: ["cancel.again": "a recognition begins"]
        case .microphoneIsRecognizer:
            [
                "trouble.microphone":
                    "the error says what has failed; saw recognitionFailed, not microphoneFailed"
            ]
        case .hidesFailures:
            [
                "trouble.microphone": "what fails is an error; saw success",
                "trouble.recognizer": "what fails is an error; saw success",
            ]
        case .failsForEver:
            [
                "trouble.microphone": "nothing comes after an error",
                "trouble.recognizer": "nothing comes after an error",
            ]
        }
    }
}
