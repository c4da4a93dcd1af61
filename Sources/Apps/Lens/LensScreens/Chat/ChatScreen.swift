internal import AppKernel
public import Concurrency
public import Foundation
public import Lens
public import ScreenKit
internal import Services

/// The conversation, and what the user has to say.
@MainActor
public final class ChatScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The messages, oldest first: the newest, or a page of earlier ones.
        public var messages: [Message] = []
        /// Whether there are messages before these.
        public var hasEarlier: Bool = false
        /// Whether there are messages after these.
        public var hasLater: Bool = false
        /// The reply that is being given; empty between replies.
        ///
        /// It is not encoded: ``ReplyScreen`` is, which changes with each word while this state stays.
        public var streamingResponse: String = ""
        /// Whether a reply is being given, from the question on.
        public var isStreaming: Bool = false
        /// Whether what is under way can be ended: a reply of the chat, and none of a stream, or the looking at a video before it is
        /// sent.
        public var canStop: Bool = false
        /// Whether the newest question has no whole answer, and can be asked again.
        public var canAskAgain: Bool = false
        /// Whether a reply is being spoken.
        public var isSpeaking: Bool = false
        /// Whether the user is listened to, on this screen or another.
        public var isListening: Bool = false
        /// What was understood so far of what the user is saying.
        public var transcript: String = ""
        /// Whether what is typed can be said: to the assistant that watches, or to one that answers when none does.
        public var canSend: Bool = false
        /// Whether something is being sent.
        public var isLoading: Bool = false
        /// What the user has typed or spoken, and what was not sent.
        public var inputText: String = ""
        /// The picture or video that goes with the next message.
        public var attachment: Attachment?
        /// What can be attached, while that is chosen.
        public var attachmentMenu: AttachmentMenu?
        /// The message's video that is shown.
        public var openVideo: OpenVideo?
        /// What went wrong last.
        public var alert: ScreenAlert?

        private enum CodingKeys: String, CodingKey {
            case messages, hasEarlier, hasLater, isStreaming, canStop, canAskAgain, isSpeaking, isListening,
                transcript,
                canSend, isLoading, inputText, attachment, attachmentMenu, openVideo, alert
        }

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Takes over what the user types; past ``ChatScreen/inputLimit`` characters it is cut.
        case setInput(String)
        /// Says what was typed, with the picture or video that is attached.
        case sendMessage
        /// Says a text, cut as one that is typed; it stands in ``State/inputText`` until it was said.
        case say(String)
        /// Listens to the user, then says what was understood, behind what is typed; nothing is said when nothing was understood.
        ///
        /// Done when that was said. Ends without a word where the screen disappears.
        case startListening
        /// Ends listening at once; what was understood so far is said.
        case finishListening
        /// Offers what can be attached to the next message.
        case openAttachmentMenu
        /// Offers it no longer.
        case closeAttachmentMenu
        /// Attaches a photo of the gallery to the next message, in place of what was attached.
        case attachPhoto(UUID)
        /// Attaches a video of the gallery to the next message, in place of what was attached.
        case attachVideo(UUID)
        /// Attaches what the camera sees now to the next message, in place of what was attached.
        case attachFrame
        /// Takes the picture or video off the next message.
        case removeAttachment
        /// Shows the video of a message.
        case openVideo(UUID)
        /// Shows it no longer.
        case closeVideo
        /// Shows the page of messages before those that are shown.
        case showEarlier
        /// Shows the newest messages.
        case showNewest
        /// Forgets the conversation, here and on the disk.
        case clearHistory
        /// Silences the reply that is being spoken.
        case stopSpeaking
        /// Ends the reply that is being given; what came of it stays. A message whose video is looked at is not sent.
        case stopReply
        /// Asks the newest question again, which has no whole answer.
        case askAgain
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The most characters that can be typed, many times what is said to an assistant at once.
    public static let inputLimit: Int = 8_000

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    let app: LensApp
    let model: ScreenModel<State>
    private var input = ""
    private var isSending = false
    var attached: Attached?
    /// What goes with the message that is being sent.
    var sending: Attached?
    var isMenuOpen = false
    private var openVideo: OpenVideo?
    private var listening: Task<Result<String, SpeechInputError>, Never>?
    /// Earlier messages that are shown instead of the newest, and how often the conversation had been cleared before they were
    /// read.
    private var earlier: (page: ConversationStore.Page, clears: Int)?
    /// Counts what was asked to be shown, so that what was asked for last is.
    private var pageRequests = 0
    var failure: (alert: ScreenAlert, action: Action)?
    private var dismissed: DatabaseFailure?
    private var dismissedRefusal: LiveModelError?

    private static let busy = ScreenAlert(
        title: "The message was not sent",
        text: "Another one is still being sent.",
        offersRetry: true
    )

    /// Creates the screen of an app.
    public init(_ app: LensApp) {
        self.app = app
        model = ScreenModel(
            State(),
            sources: [
                app.conversation.content, app.voice.isSpeaking, app.voiceInput.state, app.stream.state,
                app.isStartingStream, app.chat.state, app.gallery.content,
            ]
        )
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        let content = app.conversation.content.value
        if content.failure == nil { dismissed = nil }
        if earlier?.clears != content.clears { earlier = nil }
        let page = earlier?.page
        var state = State()
        state.messages = (page?.messages ?? content.messages).map(Message.init)
        state.hasEarlier = page?.hasEarlier ?? content.hasEarlier
        state.hasLater = page != nil
        state.streamingResponse = content.streamingResponse
        let chat = app.chat.state.value
        state.isStreaming = chat.isAnswering || !content.streamingResponse.isEmpty
        state.canStop = chat.phase != .idle
        state.canAskAgain =
            page == nil && content.unanswered != nil && !state.isStreaming && !isSending
            && !app.isStreamActive
        state.isSpeaking = app.voice.isSpeaking.value
        let heard = app.voiceInput.state.value
        (state.isListening, state.transcript) = (heard.isListening, heard.transcript)
        state.canSend =
            app.isStreamActive ? app.stream.state.value.isConnected : chat.phase == .idle
        state.isLoading = isSending || chat.phase == .asking
        state.inputText = input
        state.attachment = attached?.shown
        state.attachmentMenu = isMenuOpen ? AttachmentMenu(app.gallery.content.value.items) : nil
        state.openVideo = openVideo.flatMap { open in
            state.messages.contains { $0.id == open.message } ? open : nil
        }
        if app.stream.state.value.refusal == nil { dismissedRefusal = nil }
        state.alert = trouble.map(alert)
        return state
    }

    /// What an alert can be about, the most urgent first; one is shown at a time.
    private enum Trouble {
        case failure(ScreenAlert)
        case unanswered(ChatFailure)
        case refused(LiveModelError)
        case unsaved(DatabaseFailure)
    }

    /// What the alert is about.
    private var trouble: Trouble? {
        if let failure { return .failure(failure.alert) }
        if let unanswered = app.chat.state.value.failure { return .unanswered(unanswered) }
        if let refusal = app.stream.state.value.refusal, refusal != dismissedRefusal {
            return .refused(refusal)
        }
        if let unsaved = app.conversation.content.value.failure, unsaved != dismissed {
            return .unsaved(unsaved)
        }
        return nil
    }

    private func alert(_ trouble: Trouble) -> ScreenAlert {
        switch trouble {
        case .failure(let alert): alert
        case .unanswered(let failure):
            ScreenAlert("The assistant did not answer", failure, offersRetry: true)
        case .refused(let error): ScreenAlert("The assistant did not answer", error)
        case .unsaved(let failure): ScreenAlert("The conversation was not saved", failure)
        }
    }

    /// Closes the alert that is shown; what was not shown yet is shown next.
    private func dismissAlert() async {
        switch trouble {
        case .failure: failure = nil
        case .unanswered: await app.chat.dismissFailure()
        case .refused(let error): dismissedRefusal = error
        case .unsaved(let failure): dismissed = failure
        case nil: break
        }
    }

    /// Follows the conversation.
    public func appear() { model.follow() }

    /// Follows the conversation no longer; who cannot see that is not listened to.
    public func disappear() {
        listening?.cancel()
        model.unfollow()
    }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .setInput(let text): input = String(text.prefix(Self.inputLimit))
        case .sendMessage: await say()
        case .say(let text):
            await say(text)
        case .startListening: await listen()
        case .finishListening: await app.voiceInput.finish()
        case .openAttachmentMenu: isMenuOpen = true
        case .closeAttachmentMenu: isMenuOpen = false
        case .attachPhoto(let id): attach(.photo, id)
        case .attachVideo(let id): attach(.video, id)
        case .attachFrame: await attachFrame()
        case .removeAttachment: attach(nil)
        case .openVideo(let id): await open(id)
        case .closeVideo: openVideo = nil
        case .showEarlier: await showEarlier()
        case .showNewest: showNewest()
        case .clearHistory:
            showNewest()
            dismissed = nil
            await app.clearConversation()
        case .stopSpeaking: await app.voice.stop()
        case .stopReply: await app.chat.stop()
        // One that is busy is being asked by somebody else.
        case .askAgain: try? await app.askAgain()
        case .retry: await retry()
        case .dismissAlert: await dismissAlert()
        }
        model.refresh()
    }

    private func listen() async {
        guard listening == nil else { return }
        failure = nil
        let listening = Task { [voice = app.voiceInput] in await Self.hear(voice) }
        self.listening = listening
        let heard = await listening.value
        self.listening = nil
        switch heard {
        case .success(let text):
            guard !text.isEmpty else { return }
            let typed = input.trimmingCharacters(in: .whitespacesAndNewlines)
            await say(typed.isEmpty ? text : "\(typed) \(text)")
        case .failure(let error) where error.code == .cancelled: break
        case .failure(let error):
            failure = (ScreenAlert("You could not be heard", error, offersRetry: true), .startListening)
        }
    }

    private static func hear(_ voice: VoiceInput) async -> Result<String, SpeechInputError> {
        do throws(SpeechInputError) { return .success(try await voice.listen()) } catch {
            return .failure(error)
        }
    }

    private func say(_ text: String) async {
        input = String(text.prefix(Self.inputLimit))
        if isSending { failure = (Self.busy, .sendMessage) } else { await say() }
    }

    /// What could not be said stays typed, and its picture or video attached.
    private func say() async {
        let text = input.trimmingCharacters(in: .whitespacesAndNewlines)
        let media = attached
        guard !text.isEmpty || media != nil, !isSending else { return }
        let typed = input
        (isSending, sending, failure) = (true, media, nil)
        showNewest()
        model.refresh()
        do {
            try await app.say(try await draft(text, media))
            if input == typed { input = "" }
            sent(media)
        } catch {
            notSent(media)
            // Who has stopped it knows.
            if case ChatFailure.model(let cause) = error, cause.code == .cancelled {
                isSending = false
                return
            }
            failure = (ScreenAlert("The message was not sent", error, offersRetry: true), .sendMessage)
        }
        isSending = false
    }

    // MARK: Messages

    private func retry() async {
        if let failed = failure?.action { return await send(failed) }
        guard app.chat.state.value.failure != nil else { return }
        // One that is busy is being asked by somebody else.
        try? await app.askAgain()
    }

    private func showNewest() {
        earlier = nil
        pageRequests += 1
    }

    /// Reads the disk on no actor.
    @concurrent
    private static func page(
        before id: UUID,
        of conversation: Conversation
    ) async throws(DatabaseFailure) -> ConversationStore.Page {
        try conversation.page(before: id)
    }

    /// Shows a message's video, if its file is there.
    private func open(_ message: UUID) async {
        let messages = earlier?.page.messages ?? app.conversation.content.value.messages
        guard let id = messages.first(where: { $0.id == message })?.videoID else { return }
        if let video = await app.videos.description(of: id) {
            openVideo = OpenVideo(message: message, id: id, video: video)
        } else {
            let text = "The video is not there any more, or cannot be read."
            failure = (ScreenAlert(title: "The video was not opened", text: text), .dismissAlert)
        }
    }

    private func showEarlier() async {
        guard state.hasEarlier, let first = state.messages.first?.id else { return }
        pageRequests += 1
        let (request, clears) = (pageRequests, app.conversation.content.value.clears)
        do {
            let page = try await Self.page(before: first, of: app.conversation)
            // Something else was asked for while the disk was read.
            if request == pageRequests { earlier = (page, clears) }
        } catch {
            failure = (
                ScreenAlert("Earlier messages cannot be shown", error, offersRetry: true), .showEarlier
            )
        }
    }
}
