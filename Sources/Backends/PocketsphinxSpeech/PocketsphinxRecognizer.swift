internal import Foundation
public import Services
public import SystemPrograms

/// Understands speech by pocketsphinx, offline and in American English: what it hears of a recording goes into the program as it
/// comes, and each stretch up to a pause comes back as text.
///
/// Of six questions in ten voices of espeak-ng, at 130 to 170 words a minute, it understood 7 to 28 of 36 words, by the voice: no command
/// should depend on it.
///
/// The sound is not resampled. The filters of the model end at 6,800 Hz, and the program computes them at any rate that
/// has these frequencies (`-samprate`, with windows of 25.6 ms in a transform of as many samples, `-nfft`).
///
/// Source: pocketsphinx_continuous(1) and feat.params of Debian's pocketsphinx-en-us 0.8+5prealpha.
public struct PocketsphinxRecognizer: SpeechRecognizer {
    /// The program, as Debian calls it.
    public static let pocketsphinx = SystemProgram(
        "pocketsphinx_continuous",
        packages: ["pocketsphinx", "pocketsphinx-en-us"]
    )
    /// Where Debian's pocketsphinx-en-us has the model, which the program takes by itself.
    public static let model: String = "/usr/share/pocketsphinx/model/en-us"

    /// The rates of sound that the model can be used with.
    public static let sampleRates: ClosedRange<Int> = 16_000...48_000

    private let program: SystemProgram
    private let model: String?
    private let patience: Duration

    /// Prepares a recognizer.
    ///
    /// - Parameters:
    ///   - program: What understands.
    ///   - model: A folder that has to be there; `nil` for a program that needs none.
    ///   - patience: The longest that the program may take for some sound, and for the rest when the sound has ended.
    public init(
        program: SystemProgram = PocketsphinxRecognizer.pocketsphinx,
        model: String? = PocketsphinxRecognizer.model,
        patience: Duration = .seconds(30)
    ) {
        self.program = program
        self.model = model
        self.patience = patience
    }

    /// Fails where program or model are missing.
    ///
    /// - Throws: `unavailable`, with what to install.
    public func prepare() async throws(SpeechInputError) {
        do throws(ProgramError) {
            _ = try program.found()
            if let model, !FileManager.default.fileExists(atPath: model) { throw program.missing }
        } catch {
            throw SpeechInputError(.unavailable, detail: "\(error)")
        }
    }

    /// Starts the program.
    ///
    /// - Throws: `unavailable`; `recognitionFailed` for sound of another rate than ``sampleRates``.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        guard !Task.isCancelled else { throw SpeechInputError(.cancelled) }
        try await prepare()
        let rate = recording.sampleRate
        guard Self.sampleRates.contains(rate) else {
            throw SpeechInputError(
                .recognitionFailed,
                detail: "the sound has \(rate) samples a second; 16,000 to 48,000 are understood"
            )
        }
        return try PocketsphinxRecognition(
            program,
            Self.arguments(sampleRate: rate),
            hearing: recording,
            patience: patience
        )
    }

    /// The options for samples of a rate on the standard input.
    static func arguments(sampleRate: Int) -> [String] {
        // The window is 0.025625 s long; a transform takes a power of two.
        let window = sampleRate * 25_625 / 1_000_000 + 1
        var size = 512
        while size < window { size *= 2 }
        return [
            "-infile", "/dev/stdin", "-samprate", "\(sampleRate)", "-nfft", "\(size)",
            // Synthetic silence is exactly zero, which has no spectrum; noise of half a bit, the same each time.
            "-dither", "yes", "-seed", "1",
        ]
    }
}
