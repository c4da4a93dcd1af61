/// Receives what the model says during a stream, in order and one call at a time.
///
/// The stream waits for each call before it reads the next event of the session, so a listener returns soon;
/// pictures go out meanwhile.
public protocol ReplyListener: Sendable {
    /// A new reply begins.
    func replyBegan() async

    /// The reply has grown by a chunk that may be cut anywhere, even inside a word.
    func replyGrew(by chunk: String) async

    /// The model's side has cut the reply short; what was not yet used of it is void.
    func replyInterrupted() async

    /// The reply is over; follows every ``replyBegan()`` exactly once.
    func replyEnded(_ reply: FinishedReply) async

    /// The stream has ended, because it was stopped or failed permanently.
    func streamEnded() async
}
