public import Concurrency
public import Files
internal import Foundation
public import Services

/// Questions to a model that remembers nothing, and its answers, in the conversation.
///
/// A question is kept before anything is asked, and its answer once it is over: whole, or what came of it, marked
/// (``ChatMessage/isPartial``). One question is asked at a time. Asking again after a failure keeps no question and no answer twice:
/// what comes then takes the place of what came in part.
public actor Chat {
    /// What a chat is doing.
    public struct State: Sendable, Hashable {
        /// The steps of a question.
        public enum Phase: String, Sendable, Hashable, CaseIterable {
            case idle
            /// A video is looked at, before its question is kept.
            case preparing
            /// A whole answer is waited for.
            case asking
            /// The answer is coming in pieces, the first included.
            case streaming
        }

        /// The present step.
        public internal(set) var phase: Phase = .idle
        /// Why the last question has no whole answer; `nil` once another one is asked.
        public internal(set) var failure: ChatFailure?

        /// The state of a chat that was asked nothing.
        public init() {}

        /// Whether a question is being answered.
        public var isAnswering: Bool { phase == .asking || phase == .streaming }
    }

    /// The present state and all later ones.
    public nonisolated var state: Published<State> { current.published }

    private let current = CurrentValue(State())
    private let conversation: Conversation
    private let model: any ChatModel
    private let spoken: any ReplyListener
    private let pictures: any FrameEncoder
    private let documents: FileFolder
    private let network: any NetworkMonitor
    private let policy: ChatPolicy
    private var answering: Task<Void, Never>?
    private var isPreparing = false
    private var stops = 0
    /// The last question and its answer's id.
    private var last: (question: UUID, reply: UUID)?

    /// Creates a chat.
    ///
    /// - Parameters:
    ///   - conversation: Keeps what is said.
    ///   - model: Answers.
    ///   - spoken: Hears the answers as they come.
    ///   - pictures: Makes pictures small enough to send.
    ///   - documents: Where videos are.
    ///   - network: Without one, no question is sent.
    ///   - policy: What is asked for.
    public init(
        _ conversation: Conversation,
        model: any ChatModel,
        spoken: any ReplyListener,
        pictures: any FrameEncoder,
        documents: FileFolder,
        network: any NetworkMonitor = UnwatchedNetwork(),
        policy: ChatPolicy = ChatPolicy()
    ) {
        self.conversation = conversation
        self.model = model
        self.spoken = spoken
        self.pictures = pictures
        self.documents = documents
        self.network = network
        self.policy = policy
    }

    deinit { answering?.cancel() }

    /// Keeps a message, then asks for its answer; returns once the message is kept.
    ///
    /// A draft that says nothing is left alone. Of a video pictures are kept with the message, spread over it
    /// (``ChatPolicy/videoPictures``), and sent with it; those that cannot be decoded are left out.
    ///
    /// - Throws: `busy`, `unusablePicture`, `videoFile` or `unusableVideo`, and nothing was kept or sent then; `model` with `cancelled`
    ///   when ``stop()`` came between, which ends the looking at a video with the picture that is being made.
    public func send(_ draft: ChatDraft) async throws(ChatFailure) {
        guard draft.saysSomething else { return }
        try await alone { () async throws(ChatFailure) in
            var shown: [ChatMessage.Picture] = []
            if let video = draft.video { shown = try await look(at: video) }
            let message = ChatMessage(role: .user, content: try await draft.content(pictures))
            try checkGoingOn()
            await conversation.append(message, pictures: shown)
            // It is kept: who stopped the chat meanwhile finds a question that can be asked again.
            guard stops == stopsBefore else { return }
            ask(message.id, reply: UUID())
        }
    }

    /// Asks the service for what costs nothing, the length of a greeting: whether it takes the kept key, and has the model.
    ///
    /// - Throws: Any `ChatModelError`.
    public nonisolated func testKey() async throws(ChatModelError) {
        _ = try await model.countTokens(ChatRequest(model: policy.model, contents: [.user("Hello")]))
    }

    /// A JPEG file as it is sent: as small as a streamed picture, and the same where it is already.
    ///
    /// - Throws: `unusablePicture`.
    public nonisolated func fitting(_ picture: [UInt8]) async throws(ChatFailure) -> [UInt8] {
        try await ChatDraft.small(picture, pictures)
    }

    /// Asks the last question again, if it has no whole answer.
    ///
    /// - Throws: `busy`.
    public func retry() async throws(ChatFailure) {
        try await alone { () async throws(ChatFailure) in
            let content = conversation.content.value
            guard let question = content.unanswered, let newest = content.messages.last else { return }
            // What came in part is replaced.
            let begun = newest.id == question ? nil : newest.id
            let earlier = last?.question == question ? last?.reply : nil
            ask(question, reply: begun ?? earlier ?? UUID())
        }
    }

    /// Ends the answer that is being given, and keeps what came of it; no answer is added after this returns.
    ///
    /// A message that was on its way to the disk is kept, and not asked.
    ///
    /// Idempotent.
    public func stop() async {
        stops += 1
        answering?.cancel()
        await answering?.value
    }

    /// Forgets why the last question was not answered.
    public func dismissFailure() { current.update { $0.failure = nil } }

    /// How often the chat was stopped when the work began that is being prepared.
    private var stopsBefore = 0

    private func alone(_ work: () async throws(ChatFailure) -> Void) async throws(ChatFailure) {
        guard !isPreparing, !current.value.isAnswering else { throw .busy }
        isPreparing = true
        stopsBefore = stops
        defer { isPreparing = false }
        try await work()
    }

    /// Pictures of a video, small enough to send, in the order of their times; at least one.
    private func look(at url: URL) async throws(ChatFailure) -> [ChatMessage.Picture] {
        current.update { $0.phase = .preparing }
        defer { current.update { $0.phase = .idle } }
        return try await ChatVideo.pictures(
            of: url,
            in: documents,
            atMost: policy.videoPictures,
            as: pictures
        ) { () throws(ChatFailure) in try checkGoingOn() }
    }

    private func checkGoingOn() throws(ChatFailure) {
        guard stops != stopsBefore else { return }
        throw .cancelled
    }

    private func ask(_ question: UUID, reply: UUID) {
        last = (question, reply)
        let exchange = ChatExchange(
            question: question,
            reply: reply,
            conversation: conversation,
            model: model,
            spoken: spoken,
            network: network,
            policy: policy
        )
        current.update {
            $0.phase = policy.streams ? .streaming : .asking
            $0.failure = nil
        }
        answering = Task { [current] in
            let failure = await exchange.run()
            current.update {
                $0.phase = .idle
                $0.failure = failure
            }
        }
    }
}
