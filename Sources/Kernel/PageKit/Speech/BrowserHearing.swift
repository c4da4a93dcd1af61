internal import Concurrency
public import Services

/// Listens through a page: the browser's own recognizer hears the user, and the page says what it has understood.
///
/// The page that was used last listens, and none other where its browser does not understand speech. The sound stays with the
/// browser: its recordings have nothing to read.
@MainActor
public final class BrowserHearing: SpeechRecognizer, Microphone {
    private struct Page {
        var id: String
        /// Whether its browser understands speech.
        var hears: Bool
        var put: @MainActor (PageFrame) -> Void
    }

    /// How long a page may take to begin: its browser may have to ask the user for the microphone.
    private static let patience = Duration.seconds(60)

    /// Those that are open; the one that was used last at the end.
    private var pages: [Page] = []
    private var isRecording = false
    private var current: BrowserRecognition?
    private var count = 0

    /// Creates one that no page listens for yet.
    public nonisolated init() {}

    // MARK: Recognizer and microphone

    /// Throws `unavailable` unless the page that was used last can listen.
    @MainActor
    public func prepare() async throws(SpeechInputError) { _ = try page() }

    /// Throws `microphoneFailed` while another recording lasts.
    @MainActor
    public func record() async throws(SpeechInputError) -> any AudioRecording {
        guard !isRecording else { throw SpeechInputError(.microphoneFailed, detail: "it is in use") }
        isRecording = true
        return BrowserRecording(hearing: self)
    }

    /// Has a page listen, and returns when its browser does.
    @MainActor
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        let page = try page()
        count += 1
        let recognition = BrowserRecognition(number: count, page: page.id, of: self)
        current = recognition
        page.put(.listen(number: count))
        try await recognition.begin(within: Self.patience)
        return recognition
    }

    private func page() throws(SpeechInputError) -> Page {
        guard let page = pages.last, page.hears else {
            throw SpeechInputError(.unavailable, detail: "the browser of the page understands no speech")
        }
        return page
    }

    /// Ends a recording: the browser forgets what it has not understood yet.
    fileprivate func stop() {
        isRecording = false
        guard let current else { return }
        self.current = nil
        if !current.isOver { put(.stopListening(number: current.number), to: current.page) }
    }

    fileprivate func put(_ frame: PageFrame, to id: String) { pages.first { $0.id == id }?.put(frame) }

    // MARK: Pages

    /// A page says what it can do.
    func update(
        _ id: String,
        _ presence: PageMessage.Presence,
        _ put: @escaping @MainActor (PageFrame) -> Void
    ) {
        let page = Page(id: id, hears: presence.hears == true, put: put)
        if let index = pages.firstIndex(where: { $0.id == id }) {
            pages[index] = page
        } else {
            pages.append(page)
        }
    }

    /// The user does something on a page.
    func use(_ id: String) {
        guard let index = pages.firstIndex(where: { $0.id == id }) else { return }
        pages.append(pages.remove(at: index))
    }

    /// A page has gone; what it was hearing is lost.
    func remove(_ id: String) {
        pages.removeAll { $0.id == id }
        if let current, current.page == id {
            current.end(SpeechInputError(.microphoneFailed, detail: "the page has gone"))
        }
    }

    /// A page says how its listening goes.
    func take(_ heard: PageMessage.Heard, from id: String) {
        guard let current, current.number == heard.number, current.page == id else { return }
        if let trouble = heard.trouble {
            let code = SpeechInputError.Code(rawValue: trouble) ?? .recognitionFailed
            current.end(SpeechInputError(code, detail: "the browser's recognizer has failed"))
        } else {
            current.take(heard.text.map { Transcript($0, isFinal: heard.isFinal ?? false) })
        }
    }
}

/// There is no sound to read: the browser has it.
private struct BrowserRecording: AudioRecording {
    let hearing: BrowserHearing
    let sampleRate = 16_000

    func read() async throws(SpeechInputError) -> [UInt8]? { nil }
    func stop() async { await hearing.stop() }
}

/// One stretch of speech that a page hears.
@MainActor
private final class BrowserRecognition: SpeechRecognition {
    let number: Int
    let page: String
    /// Whether nothing comes any more.
    private(set) var isOver = false

    private let hearing: BrowserHearing
    private let changed = WakeSignal()
    private var hasBegun = false
    /// What was understood and not taken yet; each transcript takes the place of the one before.
    private var newest: Transcript?
    private var failure: SpeechInputError?
    /// Whether its reader ended with an error; the page may listen still.
    private var isAbandoned = false

    init(number: Int, page: String, of hearing: BrowserHearing) {
        (self.number, self.page, self.hearing) = (number, page, hearing)
    }

    /// The page listens, and has understood something; `nil` for nothing yet.
    func take(_ transcript: Transcript?) {
        guard !isOver else { return }
        hasBegun = true
        newest = transcript ?? newest
        isOver = transcript?.isFinal == true
        changed.raise()
    }

    /// The page listens no longer.
    func end(_ error: SpeechInputError) {
        guard !isOver else { return }
        (isOver, failure) = (true, error)
        changed.raise()
    }

    /// Waits until the page listens.
    func begin(within limit: Duration) async throws(SpeechInputError) {
        let end = ContinuousClock.now + limit
        while !hasBegun, failure == nil {
            switch await changed.wait(atMost: end - .now) {
            case .raised: break
            case .elapsed: throw SpeechInputError(.unavailable, detail: "the browser did not begin to listen")
            case .cancelled: throw SpeechInputError(.cancelled)
            }
        }
        if let failure { throw failure }
    }

    @MainActor
    func next() async throws(SpeechInputError) -> Transcript? {
        while true {
            if isAbandoned { return nil }
            if Task.isCancelled {
                isAbandoned = true
                throw SpeechInputError(.cancelled)
            }
            if let newest {
                self.newest = nil
                return newest
            }
            if let failure {
                isAbandoned = true
                throw failure
            }
            if isOver { return nil }
            _ = await changed.wait()
        }
    }

    @MainActor
    func finish() async {
        if !isOver { hearing.put(.finishListening(number: number), to: page) }
    }
}
