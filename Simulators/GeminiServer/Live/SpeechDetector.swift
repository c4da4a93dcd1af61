/// Tells speech from silence by loudness, in pieces of 20 ms.
///
/// The service's own detection is a trained model; where its thresholds and usual times lie is not published, so that those
/// here are choices: speech is louder than -40 dBFS, or -30 dBFS at low sensitivity; 40 ms of it begin an activity, and
/// 800 ms of silence end it. Time is that of the sound: a microphone that is off makes no silence.
struct SpeechDetector: Sendable {
    /// What is noticed.
    enum Change: Sendable, Hashable {
        case began
        case ended(GeminiSpeech)
    }

    /// What a session asks for.
    struct Settings: Sendable, Hashable {
        var startLevel = 0.01
        var endLevel = 0.01
        var prefixMilliseconds = 40
        var silenceMilliseconds = 800

        /// The level at low sensitivity.
        static let lowSensitivity = 0.0316
    }

    private static let pieceMilliseconds = 20

    private let settings: Settings
    private var rest: [UInt8] = []
    private var rate = 0
    /// Loud pieces in a row while no activity is on; silent ones while it is.
    private var run = 0
    private var activity: GeminiSpeech?
    /// What of the sound before belongs to an activity that begins.
    private var prefix = GeminiSpeech()

    init(_ settings: Settings) { self.settings = settings }

    /// Whether an activity is on.
    var isActive: Bool { activity != nil }

    /// Listens to more of the sound: whole samples of 16 bits.
    mutating func hear(_ pcm: [UInt8], rate: Int) -> [Change] {
        if rate != self.rate {
            rest = []
            self.rate = rate
        }
        let bytes = rest + pcm
        let pieceBytes = max(2, rate * Self.pieceMilliseconds / 1000 * 2)
        var changes: [Change] = []
        var start = 0
        while start + pieceBytes <= bytes.count {
            if let change = take(bytes[start..<start + pieceBytes]) { changes.append(change) }
            start += pieceBytes
        }
        rest = Array(bytes[start...])
        return changes
    }

    /// The sound has stopped: an activity ends with what was heard.
    mutating func flush() -> [Change] {
        rest = []
        run = 0
        prefix = GeminiSpeech()
        defer { activity = nil }
        return activity.map { [.ended($0)] } ?? []
    }

    private mutating func take(_ piece: ArraySlice<UInt8>) -> Change? {
        let level = GeminiSpeech.level(of: piece)
        let milliseconds = Self.pieceMilliseconds
        if activity == nil {
            guard level >= settings.startLevel else {
                run = 0
                prefix = GeminiSpeech()
                return nil
            }
            run += 1
            prefix.add(level: level, milliseconds: milliseconds)
            guard run * milliseconds >= settings.prefixMilliseconds else { return nil }
            activity = prefix
            prefix = GeminiSpeech()
            run = 0
            return .began
        }
        guard level < settings.endLevel else {
            run = 0
            activity?.add(level: level, milliseconds: milliseconds)
            return nil
        }
        run += 1
        guard run * milliseconds >= settings.silenceMilliseconds, let speech = activity else { return nil }
        activity = nil
        run = 0
        return .ended(speech)
    }
}
