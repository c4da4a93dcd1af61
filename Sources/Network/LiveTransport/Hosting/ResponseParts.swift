/// A piece of a response to write in one go.
struct ResponseParts: Sendable {
    /// The head, in the first piece.
    var plan: ResponsePlan?
    var bytes: [UInt8] = []
    var isLast = false
}
