import TestSupport
import Testing
import WAV

@Suite("Sound in WAV files")
struct WAVSoundTests {
    private let sound = WAVSound(sampleRate: 22_050, samples: [1, 0, 2, 0, 255, 255])

    @Test func `what was written is read, with its length in time`() throws {
        #expect(try WAVSound(file: sound.file) == sound)
        #expect(sound.file.count == 44 + 6)
        #expect(
            WAVSound(sampleRate: 16_000, samples: [UInt8](repeating: 0, count: 32_000)).duration
                == .seconds(1)
        )
    }

    @Test(arguments: [[0xff, 0xff, 0xff, 0xff], [0x00, 0xf0, 0xff, 0x7f]] as [[UInt8]])
    func `a file from a pipe, which does not know its size, goes on to its end`(size: [UInt8]) throws {
        var file = sound.file
        file.replaceSubrange(40..<44, with: size)
        #expect(try WAVSound(file: file) == sound)
    }

    @Test func `chunks that are none of sound are passed over, those of an odd size too`() throws {
        var file = sound.file
        file.insert(contentsOf: Array("LIST".utf8) + [3, 0, 0, 0, 9, 9, 9, 0], at: 12)
        file.insert(contentsOf: Array("junk".utf8) + [2, 0, 0, 0, 9, 9], at: file.count - 14)
        #expect(try WAVSound(file: file) == sound)
    }

    @Test(arguments: [(20, 3), (22, 2), (34, 8), (25, 0), (27, 1)])
    func `other kinds of sound are refused, and named`(place: Int, byte: UInt8) {
        var file = sound.file
        file[place] = byte
        let error = #expect(throws: WAVError.self) { try WAVSound(file: file) }
        let isNamed = if case .otherSound? = error { true } else { false }
        #expect(isNamed, "\(String(describing: error))")
    }

    @Test func `a file that ends early is refused wherever it ends`() {
        let file = sound.file
        for count in 0..<file.count {
            #expect(throws: WAVError.self) { try WAVSound(file: Array(file.prefix(count))) }
        }
    }

    @Test func `a damaged file is sound or an error, and nothing else`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            var file = sound.file
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                file[Int.random(in: 0..<file.count, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            guard let read = try? WAVSound(file: file) else { continue }
            #expect(read.samples.count <= 6 && WAVSound.sampleRates.contains(read.sampleRate))
        }
    }
}
