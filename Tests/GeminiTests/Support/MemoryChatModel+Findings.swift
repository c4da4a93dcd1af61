extension MemoryChatModel.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .losesLastPiece:
            [
                "answer.recitation": "the words are kept",
                "answer.safety": "the words are kept",
                "answer.tokenLimit": "the words are kept",
                "answer.whole": "the words are one part",
                "stream.apart": "each has all words once",
                "stream.order": "all words come, in order",
            ]
        case .givesEmptyPieces:
            [
                "question.stream": "no piece is empty",
                "stream.order": "no piece is empty",
            ]
        case .endsTwice:
            [
                "question.stream": "there is one ending, a complete one; saw [true, true], not [true]",
                "stream.blocked": "the reason is the ending",
                "stream.order": "there is one ending",
            ]
        case .hidesBreaks:
            [
                "stream.beforeBreak": "the stream breaks with an error",
                "stream.break": "the stream breaks with an error",
            ]
        case .hidesFailures: ["stream.failure": "an answer that breaks has no ending"]
        case .takesAStopForAnEnd: ["stream.stop": "an answer that breaks has no ending"]
        case .blockingIsAnError: ["answer.blocked": "it is answered"]
        case .forgetsTheCost:
            [
                "answer.cost": "the cost is reported",
                "question.cost": "question and answer have a cost, and the whole has both",
            ]
        case .tellsTheKey:
            [
                "failure.invalidKey": "no error and no event shows a secret",
                "failure.lost": "no error and no event shows a secret",
                "failure.notFound": "no error and no event shows a secret",
                "failure.quotaExceeded": "no error and no event shows a secret",
                "failure.rejected": "no error and no event shows a secret",
                "failure.tooLarge": "no error and no event shows a secret",
                "failure.unavailable": "no error and no event shows a secret",
                "question.unknownModel": "no error and no event shows a secret",
                "stream.beforeBreak": "no error and no event shows a secret",
                "stream.break": "no error and no event shows a secret",
                "stream.failure": "no error and no event shows a secret",
                "stream.stop": "no error and no event shows a secret",
            ]
        case .mistakesQuota: ["failure.quotaExceeded": "generate tells it"]
        case .asksTwice: ["failure.lost": "one request was sent; saw 2, not 1"]
        case .miscounts: ["count.tokens": "the number is the service"]
        case .splitsTheText: ["answer.whole": "the words are one part"]
        case .forgetsTheReason:
            [
                "answer.recitation": "the reason is reported",
                "answer.safety": "the reason is reported",
                "answer.tokenLimit": "the reason is reported",
            ]
        case .forgetsTheStreamsCost:
            [
                "answer.cost": "the cost is reported",
                "question.cost": "question and answer have a cost, and the whole has both",
                "stream.cost": "the cost is reported",
            ]
        case .dropsWordsAtBreaks: ["stream.beforeBreak": "what came before is given first"]
        case .keepsCancelledRequests:
            [
                "stream.cancel": "a reader that is cancelled hears so, and ends the request at the service",
                "stream.cancelLate":
                    "a reader that is cancelled in the middle of an answer hears so, and ends the request at",
            ]
        case .keepsLateRequests:
            [
                "stream.cancel": "a reader that is cancelled hears so, and ends the request at the service",
                "stream.cancelLate":
                    "a reader that is cancelled in the middle of an answer hears so, and ends the request at",
            ]
        case .keepsReleasedRequests:
            [
                "stream.left":
                    "a reader that stops in the middle of an answer ends the request at the service",
                "stream.released": "a stream that nobody holds any more ends its request at the service",
            ]
        }
    }
}
