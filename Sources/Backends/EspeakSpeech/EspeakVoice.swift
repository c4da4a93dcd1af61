internal import Foundation
public import Services
internal import Synchronization
public import SystemPrograms
public import WAV

/// A voice that is heard: espeak-ng makes the sound, a WAV file keeps it, and a player plays it where there is one.
///
/// Each utterance is a process of espeak-ng, which reads the text from its standard input, so that nothing in it can be
/// taken for an option. What espeak-ng takes for more than text is taken apart first. Where nothing plays,
/// an utterance lasts as long as its sound would.
///
/// Source: espeak-ng(1) of Debian's espeak-ng 1.51, aplay(1) of alsa-utils.
public final class EspeakVoice: SpeechSynthesizer {
    /// Something that was said.
    public struct Utterance: Sendable, Hashable {
        /// What was to be said.
        public var text: String
        /// The file with all of the sound, also of what was cut off; `nil` where there is none.
        public var file: String?
        /// How long the sound is.
        public var duration: Duration = .zero
        /// Whether it was cut off.
        public var wasCutOff: Bool = false
        /// Whether a player has played it to its end.
        public var wasPlayed: Bool = false
        /// Why it was not said, or not played by a player that is there.
        public var failure: EspeakError?
    }

    /// The program, as Debian calls it.
    public static let espeak = SystemProgram("espeak-ng", packages: ["espeak-ng"])
    /// The player, as Debian calls it.
    public static let aplay = SystemProgram("aplay", packages: ["alsa-utils"])

    /// The most characters of one utterance: about ten minutes of speech.
    public static let textLimit: Int = 10_000
    /// The most utterances that are kept.
    ///
    /// The oldest go first; their files stay.
    public static let historyLimit: Int = 10_000

    /// The longest that a sound may take to be made.
    ///
    /// Ten minutes of speech take half a second of a processor.
    private static let patience = Duration.seconds(30)
    /// The most bytes of a sound: 22,050 samples a second, for 24 minutes.
    private static let soundLimit = 64 << 20
    /// How much longer than its sound a player may take.
    private static let playerGrace = Duration.seconds(10)

    private struct State {
        var count = 0
        var utterances: [Utterance] = []
        /// The present utterance, which ``stop()`` cancels.
        var speaking: Task<Utterance, Never>?
    }

    private let folder: String
    private let voice: String
    private let wordsPerMinute: Int
    private let program: SystemProgram
    private let player: SystemProgram?
    private let patience: Duration
    private let state = Mutex(State())

    /// Prepares a voice.
    ///
    /// - Parameters:
    ///   - folder: Where the files go, from `said-0001.wav` on; files of those names are replaced.
    ///   - voice: A name of `espeak-ng --voices`, with a variant of `espeak-ng --voices=variant` where there is a `+`.
    ///   - wordsPerMinute: The pace.
    ///   - program: What makes the sound.
    ///   - player: What plays a file that is its argument; `nil` for nothing.
    ///   - patience: The longest that a sound may take to be made; `nil` for half a minute.
    public init(
        folder: String,
        voice: String = "en-us",
        wordsPerMinute: Int = 170,
        program: SystemProgram = EspeakVoice.espeak,
        player: SystemProgram? = EspeakVoice.aplay,
        patience: Duration? = nil
    ) {
        self.folder = folder
        self.voice = voice
        self.wordsPerMinute = wordsPerMinute
        self.program = program
        self.player = player
        self.patience = patience ?? Self.patience
    }

    /// What was said so far, in order; the present utterance comes with its end.
    public var utterances: [Utterance] { state.withLock { $0.utterances } }

    // MARK: Speaking

    /// Makes the sound, keeps it and plays it; returns when it was heard, or would have been heard, or was cut off.
    ///
    /// What goes wrong stands in ``utterances``.
    public func speak(_ text: String) async {
        let task = state.withLock { state in
            state.count += 1
            let number = state.count
            let task = Task { await self.utterance(text, number: number) }
            state.speaking = task
            return task
        }
        let utterance = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { state in
            if state.speaking == task { state.speaking = nil }
            if state.utterances.count == Self.historyLimit { state.utterances.removeFirst() }
            state.utterances.append(utterance)
        }
    }

    /// Ends the present utterance at once, and returns when its process is gone.
    public func stop() async {
        let speaking = state.withLock { $0.speaking }
        speaking?.cancel()
        _ = await speaking?.value
    }

    private func utterance(_ text: String, number: Int) async -> Utterance {
        var utterance = Utterance(text: text)
        do throws(EspeakError) {
            let sound = try await synthesize(text)
            guard !sound.samples.isEmpty else { return utterance }
            utterance.duration = sound.duration
            let name = "said-" + String("000\(number)".suffix(max(4, "\(number)".count))) + ".wav"
            utterance.file = try keep(sound, as: name)
            utterance.wasPlayed = try await play(utterance)
        } catch {
            if error.isCancellation { utterance.wasCutOff = true } else { utterance.failure = error }
        }
        return utterance
    }

    /// Plays a file, or lets the time of its sound pass.
    ///
    /// Returns whether it was played.
    private func play(_ utterance: Utterance) async throws(EspeakError) -> Bool {
        let end = ContinuousClock.now + utterance.duration
        var failure: EspeakError?
        if let player, player.path != nil, let file = utterance.file {
            do throws(ProgramError) {
                let limit = utterance.duration + Self.playerGrace
                _ = try await player.run(["-q", file], within: limit, outputLimit: 1 << 16)
                return true
            } catch {
                failure = .program(error)
            }
        }
        // A player without a device fails at once.
        if (try? await Task.sleep(until: end)) == nil {
            throw .program(ProgramError(.cancelled, of: program.name))
        }
        if let failure { throw failure }
        return false
    }

    // MARK: Sound

    /// Fails where the program is missing, or the folder cannot be made.
    ///
    /// - Throws: ``EspeakError``.
    public func prepare() throws(EspeakError) {
        do throws(ProgramError) { _ = try program.found() } catch { throw .program(error) }
        try makeFolder()
    }

    private func makeFolder() throws(EspeakError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .file(path: folder, detail: error.localizedDescription)
        }
    }

    /// Makes the sound of a text, and neither keeps nor plays it.
    ///
    /// - Throws: ``EspeakError``.
    public func synthesize(_ text: String) async throws(EspeakError) -> WAVSound {
        do throws(ProgramError) {
            guard text.count <= Self.textLimit else {
                throw ProgramError(
                    .tooMuchInput,
                    of: program.name,
                    detail: "\(text.count) characters, and \(Self.textLimit) at most are spoken at once"
                )
            }
            let spoken = Self.spoken(text)
            // The program writes nothing at all then.
            if spoken.allSatisfy(\.isWhitespace) { return WAVSound(sampleRate: 22_050, samples: []) }
            let file = try await program.run(
                // UTF-8, from the standard input to its end, and a WAV file on the standard output.
                ["-v", voice, "-s", "\(wordsPerMinute)", "-b", "1", "--stdin", "--stdout"],
                input: Array(spoken.utf8),
                within: patience,
                outputLimit: Self.soundLimit
            )
            do throws(WAVError) { return try WAVSound(file: file) } catch {
                throw ProgramError(.unusableOutput, of: program.name, detail: "\(error)")
            }
        } catch {
            throw .program(error)
        }
    }

    /// Keeps a sound as a file of the folder.
    ///
    /// - Returns: The file's path.
    /// - Throws: ``EspeakError/file(path:detail:)``.
    @discardableResult
    public func keep(_ sound: WAVSound, as name: String) throws(EspeakError) -> String {
        try makeFolder()
        let path = folder + "/" + name
        do { try Data(sound.file).write(to: URL(filePath: path), options: .atomic) } catch {
            throw .file(path: path, detail: error.localizedDescription)
        }
        return path
    }

    /// A text as espeak-ng gets it: all of it text.
    ///
    /// Control characters become blanks: the first of them begins a command within the text, and a zero ends it
    /// (`CTRL_EMBEDDED`, `ReadClause` of espeak-ng's readclause.c). `[[` begins names of phonemes, which the program always reads
    /// (`espeakPHONEMES`, espeak-ng.c), and is taken apart. Tags are text without the option `-m`.
    package static func spoken(_ text: String) -> String {
        var spoken = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "[", spoken.last == "[" { spoken.append(" ") }
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
            spoken.append(isControl ? " " : scalar)
        }
        return String(spoken)
    }
}

/// Why something was not said.
public enum EspeakError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A program failed.
    case program(ProgramError)
    /// The sound could not be kept in this file, or this folder could not be made.
    case file(path: String, detail: String)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .program(let error): "\(error)"
        case .file(let path, let detail): "sound could not be kept in \(path): \(detail)"
        }
    }

    fileprivate var isCancellation: Bool {
        if case .program(let error) = self { error.code == .cancelled } else { false }
    }
}
