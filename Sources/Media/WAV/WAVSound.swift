/// Sound of one channel, as a WAV file holds it: samples of 16 bits with a sign, the low byte first, without compression.
///
/// Source: "Multimedia Programming Interface and Data Specifications 1.0" of IBM and Microsoft (1991), chapter 3, and RFC 2361 for
/// the number of the format.
public struct WAVSound: Sendable, Hashable {
    /// Samples a second.
    public var sampleRate: Int
    /// The samples: two bytes each.
    public var samples: [UInt8]

    /// The rates that are taken: from telephones to studios.
    public static let sampleRates: ClosedRange<Int> = 8_000...192_000

    /// Makes a sound.
    ///
    /// - Precondition: The rate is one of ``sampleRates``, and the samples are whole.
    public init(sampleRate: Int, samples: [UInt8]) {
        precondition(Self.sampleRates.contains(sampleRate), "\(sampleRate) samples a second")
        precondition(samples.count.isMultiple(of: 2), "half a sample")
        self.sampleRate = sampleRate
        self.samples = samples
    }

    /// How long it lasts.
    public var duration: Duration { .seconds(Double(samples.count / 2) / Double(sampleRate)) }

    /// The largest number that a program writes for the size of sound whose end it does not know yet: espeak-ng and sox write
    /// about 2 GiB, ffmpeg 4 GiB.
    private static let unknownSize = 0x7fff_0000

    /// Reads a file.
    ///
    /// A file that was written to a pipe does not know its size: its sound goes on to the end.
    ///
    /// - Throws: ``WAVError`` for anything but whole sound of one channel and 16 bits.
    public init(file: [UInt8]) throws(WAVError) {
        guard file.count >= 12, file[0..<4].elementsEqual("RIFF".utf8),
            file[8..<12].elementsEqual("WAVE".utf8)
        else { throw .notAFile }
        var rate: Int?
        var place = 12
        while place + 8 <= file.count {
            let name = file[place..<place + 4]
            let size = Int(Self.number(file, at: place + 4, bytes: 4))
            let start = place + 8
            if name.elementsEqual("fmt ".utf8) {
                guard rate == nil, size >= 16, start + size <= file.count else { throw .cut }
                rate = try Self.rate(file, at: start)
            } else if name.elementsEqual("data".utf8) {
                guard let rate else { throw .notAFile }
                let end = start + size
                guard end <= file.count || size >= Self.unknownSize else { throw .cut }
                let samples = file[start..<min(end, file.count)]
                guard samples.count.isMultiple(of: 2) else { throw .cut }
                self.init(sampleRate: rate, samples: Array(samples))
                return
            }
            // Chunks begin at even places.
            place = start + size + size % 2
        }
        throw .cut
    }

    private static func rate(_ file: [UInt8], at start: Int) throws(WAVError) -> Int {
        let format = number(file, at: start, bytes: 2)
        let channels = number(file, at: start + 2, bytes: 2)
        let rate = number(file, at: start + 4, bytes: 4)
        let bits = number(file, at: start + 14, bytes: 2)
        guard format == 1, channels == 1, bits == 16, sampleRates.contains(Int(rate)) else {
            throw .otherSound(
                format: Int(format),
                channels: Int(channels),
                bits: Int(bits),
                sampleRate: Int(rate)
            )
        }
        return Int(rate)
    }

    private static func number(_ file: [UInt8], at start: Int, bytes: Int) -> UInt32 {
        file[start..<start + bytes].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The whole file.
    public var file: [UInt8] {
        var file = Array("RIFF".utf8)
        func add(_ number: Int, bytes: Int) {
            for index in 0..<bytes { file.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
        }
        add(36 + samples.count, bytes: 4)
        file += Array("WAVEfmt ".utf8)
        add(16, bytes: 4)
        add(1, bytes: 2)
        add(1, bytes: 2)
        add(sampleRate, bytes: 4)
        add(sampleRate * 2, bytes: 4)
        add(2, bytes: 2)
        add(16, bytes: 2)
        file += Array("data".utf8)
        add(samples.count, bytes: 4)
        return file + samples
    }
}

/// Why a file has no sound that can be used.
public enum WAVError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is no WAV file.
    case notAFile
    /// It ends before its sound does, or has none.
    case cut
    /// It has another kind of sound.
    case otherSound(format: Int, channels: Int, bits: Int, sampleRate: Int)

    /// What came, and what is wanted.
    public var description: String {
        switch self {
        case .notAFile: "it is no WAV file"
        case .cut: "it is a WAV file that ends before its sound does"
        case .otherSound(let format, let channels, let bits, let sampleRate):
            "it is a WAV file of format \(format), \(channels) channels, \(bits) bits and \(sampleRate) Hz; one channel of 16 bits"
                + " without compression (format 1) is wanted, at 8,000 to 192,000 Hz"
        }
    }
}
