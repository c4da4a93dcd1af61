import Concurrency
import Lens
import Services
import Synchronization

/// A stream between a scripted camera and scripted sessions, at the default rate.
struct StreamFixture {
    let camera = ScriptedCamera()
    let model: ScriptedModel
    let replies = ReplyLog()
    let stream: StreamingSession

    init(
        _ model: ScriptedModel,
        encoder: any FrameEncoder = PassingEncoder(),
        commentary: CommentaryPolicy = Self.silent,
        retries: Int = 0
    ) {
        self.model = model
        stream = StreamingSession(
            model: model,
            encoder: encoder,
            policy: StreamingPolicy(
                model: "test-model",
                commentary: commentary,
                reconnect: RetryPolicy(retries: retries, first: .zero, longest: .zero),
                handleWait: .zero
            ),
            listeners: [replies],
            framesPerSecond: { 5 },
            latestFrame: { [camera] in await camera.latestFrame() }
        )
        camera.show(1)
    }

    /// Asks once and never again.
    static let silent = CommentaryPolicy(opening: "What is it?", followUp: nil)
}

/// Keeps what a listener receives.
final class ReplyLog: ReplyListener {
    enum Entry: Hashable {
        case began
        case grew(String)
        case interrupted
        case ended(String, FinishedReply.Ending)
        case streamEnded
    }

    let entries = CurrentValue<[Entry]>([])

    func replyBegan() async { entries.update { $0.append(.began) } }
    func replyGrew(by chunk: String) async { entries.update { $0.append(.grew(chunk)) } }
    func replyInterrupted() async { entries.update { $0.append(.interrupted) } }
    func replyEnded(_ reply: FinishedReply) async {
        entries.update { $0.append(.ended(reply.text, reply.ending)) }
    }
    func streamEnded() async { entries.update { $0.append(.streamEnded) } }
}
