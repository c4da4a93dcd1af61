import Foundation
import PeerKit
import Transport

/// One connection of a Live client, from the setup to the close.
///
/// The actor reads in its own task and speaks in another, so that input is taken while a reply goes out.
/// It owns all tasks it starts: ``run()`` cancels and awaits them before it returns.
actor LiveConversation {
    let index: Int
    let socket: any WebSocket
    let settings: GeminiServerSettings
    let script: GeminiScript
    let book: SessionBook
    private let journal: Journal
    let faults: PeerFaults
    let reader: ContentReader
    private let version: String
    private let caller: Caller
    private let tokens: TokenStore

    /// Who has connected.
    enum Caller: Sendable {
        case key(Credentials.Judgement)
        /// An ephemeral token, which is looked at when the setup has come.
        case token(String)
    }

    var setup: LiveSetup?
    var memory = ConversationMemory()
    /// The conversation that this connection carries on: the index of its first session.
    var conversation: Int
    var frameCount = 0
    /// Turns begun on this connection.
    var turnCount = 0
    /// The task that speaks, and whether it has said all but the end of its turn.
    var speaking: Task<Void, Never>?
    var isFinishing = false
    /// Whether a reply is going out, and whether its turn is open: it may wait for functions.
    var isSpeaking = false
    var isTurnOpen = false
    /// What the running reply tells beside its words.
    var signals = GeminiReply.Signals()
    /// Whether another turn is due when this one is complete.
    var isQueued = false
    /// Whether the model says nothing any more.
    var isPoisoned = false
    /// Until when a client that plays what was sent is busy with it.
    var playedUntil = ContinuousClock.now
    var voice = ToneVoice(name: "")
    /// Listens for speech while the client does not mark it.
    var ear = SpeechDetector(.init())
    /// The speech within the marks of the client.
    var activity: GeminiSpeech?
    var lastSpeech: GeminiSpeech?
    /// How much sound has come.
    var heardMilliseconds = 0
    /// Calls of functions that wait for their answers, by their numbers, and those that were taken back.
    var pending: [String: PendingCall] = [:]
    var cancelled: [String] = []
    /// Answers of functions that the model has not used.
    var results: [GeminiCallResult] = []
    /// Bytes of them, in JSON.
    var resultBytes = 0
    /// The most results for one answer.
    static let mostResults = 1_000
    /// A piece of an answer that is to come after the next one.
    var held: JSONValue?
    /// Words that wait for a complete turn.
    var unanswered: [String] = []
    /// Whether the user has taken a turn of the conversation proper that nobody has answered.
    var hasQuestion = false
    /// Whether it has brought an uploaded file.
    var hasNewFile = false
    var isSeeding = false
    var isMute = false
    var silentUntil: ContinuousClock.Instant?
    var deafUntil: ContinuousClock.Instant?
    private var timers: [Task<Void, Never>] = []
    /// Waits that the end of the connection cuts short, oldest first.
    private var rests: [(id: Int, task: Task<Void, Never>)] = []
    private var nextRest = 0
    private var watchesVideo = false
    private var ending: WebSocketClose?

    init(
        index: Int,
        socket: any WebSocket,
        version: String,
        caller: Caller,
        tokens: TokenStore,
        settings: GeminiServerSettings,
        script: GeminiScript,
        book: SessionBook,
        journal: Journal,
        faults: PeerFaults,
        reader: ContentReader
    ) {
        self.index = index
        self.socket = socket
        self.version = version
        self.caller = caller
        self.tokens = tokens
        self.settings = settings
        self.script = script
        self.book = book
        self.journal = journal
        self.faults = faults
        self.reader = reader
        conversation = index
    }

    /// Serves the connection until it ends.
    func run() async {
        do throws(LiveRefusal) {
            try await open()
            while let message = try await nextMessage() { try await take(message) }
        } catch {
            await end(error.close)
        }
        // Sessions that still speak or wait are cancelled first, then awaited.
        speaking?.cancel()
        for timer in timers { timer.cancel() }
        await speaking?.value
        for timer in timers { await timer.value }
        if setup != nil {
            _ = try? book.withLedger { [conversation] in $0.end(conversation, at: .now) }
        }
        book.end(index, ending ?? .abnormal)
    }

    /// Closes the connection; the first close counts.
    func end(_ close: WebSocketClose) async {
        if ending == nil { ending = close }
        for rest in rests { rest.task.cancel() }
        await socket.close(close)
    }

    /// Waits, but not past the end of the connection or of the calling task.
    func rest(until instant: ContinuousClock.Instant) async {
        guard ending == nil, instant > .now else { return }
        // An interrupted wait needs no error: the caller checks whether the connection has ended.
        let task = Task { _ = try? await Task.sleep(until: instant, clock: .continuous) }
        nextRest += 1
        let id = nextRest
        rests.append((id, task))
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        rests.removeAll { $0.id == id }
    }

    /// Does something later, unless the connection has ended by then.
    func after(_ delay: Duration, _ act: @escaping @Sendable (LiveConversation) async -> Void) {
        // Nobody would cancel it any more.
        guard ending == nil else { return }
        timers.append(
            Task {
                do { try await Task.sleep(for: delay) } catch { return }
                await act(self)
            }
        )
    }

    // MARK: Setup

    private func open() async throws(LiveRefusal) {
        after(settings.setupTimeout) { await $0.expireSetup() }
        guard let message = try await nextMessage() else { return }
        // The setup is read before any refusal: clients that are refused earlier miss the reason.
        var lock: SetupLock?
        switch caller {
        case .key(.accepted): break
        case .key(.missing): throw .missingKey
        case .key(.invalid): throw .invalidKey
        case .key(.expired): throw .expiredKey
        case .token(let name): lock = try tokens.token(name).lock
        }
        guard var fields = try read(message)["setup"] else { throw .invalidArgument }
        if let lock { fields = lock.applied(to: fields) }
        if settings.refusesRegion { throw .region }
        let setup = try LiveSetup(fields, models: settings.models, version: version)
        if case .token(let name) = caller {
            let end = try tokens.open(name, resumes: setup.handle != nil)
            after(.seconds(end.timeIntervalSinceNow)) { await $0.end(LiveRefusal.expiredToken.close) }
        }
        let (life, limit) = (settings.handleLife, settings.concurrentSessions)
        if let handle = setup.handle {
            (conversation, memory) = try book.withLedger { ledger throws(LiveRefusal) in
                try ledger.resume(handle, life: life, limit: limit, at: .now)
            }
            isPoisoned = faults.strike(GeminiFaultPoints.poisonedResume) != nil
        } else {
            try book.withLedger { [conversation] ledger throws(LiveRefusal) in
                try ledger.begin(conversation, life: life, limit: limit, at: .now)
            }
        }
        self.setup = setup
        memory.compression = setup.compression
        voice = ToneVoice(name: setup.voice)
        ear = SpeechDetector(setup.detection)
        isSeeding = setup.seedsHistory
        book.note(index) { session in
            session.model = setup.model
            session.isResumed = setup.handle != nil
        }
        book.keep(index) { $0.keep(instructions: setup.instructions, &$1) }
        await strike()
        await send(["setupComplete": [:]])
        if !isMute, ending == nil { book.note(index) { $0.isAccepted = true } }
        startClocks()
    }

    private func expireSetup() async {
        if setup == nil { await end(LiveRefusal.deadline.close) }
    }

    private func startClocks() {
        let warning = min(settings.warning, settings.connectionLimit)
        after(settings.connectionLimit - warning) { await $0.announceEnd(in: warning) }
        strikeAtStart()
        watchVideo()
    }

    /// Ends the session when its video has lasted too long.
    ///
    /// The limit counts from the first frame of the conversation, across resumptions. The service documents
    /// the limit and not its close; 1011 is a guess.
    func watchVideo() {
        guard !watchesVideo, let setup, setup.compression == nil, let start = memory.firstFrameAt else {
            return
        }
        watchesVideo = true
        let left = settings.videoLimit - start.duration(to: .now)
        after(max(.zero, left)) { await $0.end(LiveRefusal.deadline.close) }
    }

    // MARK: Reading

    /// The next message in bytes of JSON, or `nil` at the end of the connection.
    private func nextMessage() async throws(LiveRefusal) -> [UInt8]? {
        await waitUntilReading()
        // The wait ends early when the service closes; after that nothing more is read.
        if ending != nil { return nil }
        let event: WebSocketPayload
        do throws(TransportError) { event = try await socket.receivePayload() } catch {
            // Cancelled: the server stops.
            await end(WebSocketClose(code: 1001))
            return nil
        }
        // What a client had sent before the service closed is of no interest to it any more.
        if ending != nil { return nil }
        switch event {
        case .closed(let close):
            ending = close
            return nil
        case .text(let bytes), .binary(let bytes):
            book.note(index) { $0.messageCount += 1 }
            return bytes
        }
    }

    private func waitUntilReading() async {
        if let until = deafUntil { await rest(until: until) }
    }

    /// The message with all names in snake_case, of which one of the known kinds is present.
    private func read(_ message: [UInt8]) throws(LiveRefusal) -> JSONValue {
        let json: JSONValue
        do { json = try JSONValue(json: message) } catch { throw .notJSON }
        journal.keep(json, ofSession: index)
        let read: JSONValue
        do { read = try LiveShapes.clientMessage.read(json) } catch { throw LiveRefusal(error) }
        guard case .object(let kinds) = read, kinds.count == 1 else { throw .invalidArgument }
        return read
    }

    private func take(_ message: [UInt8]) async throws(LiveRefusal) {
        switch try LiveInput(read(message)) {
        case .content(let turns, let isComplete): try await take(turns, isComplete: isComplete)
        case .realtime(let input): try await take(input)
        case .toolResponse(let answers): try await take(answers)
        case .contextUpdate(let instructions, let tools): update(instructions: instructions, tools: tools)
        }
    }
}
