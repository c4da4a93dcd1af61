public import Services
internal import Synchronization
public import WAV

/// A microphone in front of which a sound is played: each recording has the whole of it, as fast as it is read, and a pause after
/// it, by which a recognizer knows its end.
public struct SoundMicrophone: Microphone {
    /// Half a second each, in whole samples of two bytes.
    private static func part(_ rate: Int) -> Int { rate / 2 * 2 }

    private let sound: WAVSound

    /// Plays a sound.
    public init(_ sound: WAVSound) { self.sound = sound }

    /// Begins at the beginning.
    public func record() async throws(SpeechInputError) -> any AudioRecording {
        SoundRecording(sound, part: Self.part(sound.sampleRate))
    }
}

private final class SoundRecording: AudioRecording {
    let sampleRate: Int
    private let part: Int
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ sound: WAVSound, part: Int) {
        sampleRate = sound.sampleRate
        self.part = part
        // A second of silence.
        rest = Mutex((sound.samples + [UInt8](repeating: 0, count: 2 * sound.sampleRate))[...])
    }

    func read() async throws(SpeechInputError) -> [UInt8]? {
        guard !Task.isCancelled else { throw SpeechInputError(.cancelled) }
        return rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(part) }
            return Array(rest.prefix(part))
        }
    }

    func stop() async { rest.withLock { $0 = [] } }
}
