import SupabaseServer

extension StorageFault {
    /// A trouble of some kind, drawn again by every call.
    static func randomTrouble() -> StorageFault {
        let count = Int.random(in: 1...3)
        let skipping = Int.random(in: 0...2)
        let effects: [Effect] = [
            .page(status: 502), .page(status: 200), .loseAnswerWithPage, .loseAnswerInBody,
            .loseAnswerInSilence(milliseconds: 5000), .delay(milliseconds: Int.random(in: 1...3000)),
            .refusal(httpStatus: 500, status: 500, error: "Internal", message: "Internal Server Error"),
        ]
        let effect = effects[Int.random(in: effects.indices)]
        return StorageFault(effect, on: .upload, count: count, skipping: skipping)
    }
}
