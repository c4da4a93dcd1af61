import Testing
import Transport

@Suite("Validation of UTF-8 that comes in pieces")
struct UTF8ValidatorTests {
    /// Whether a validator accepts the pieces as a whole text.
    private func accepts(_ pieces: [ArraySlice<UInt8>]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces { guard unsafe validator.read(Array(piece).span.bytes) else { return false } }
        return validator.isComplete
    }

    @Test("it agrees with the standard library on every pair of bytes, and on what may follow them")
    func agreement() {
        var mistakes: [[UInt8]] = []
        for first in UInt8(0x7F)...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for ending in [[], [0x80], [0xBF, 0x80]] as [[UInt8]] {
                    let bytes = [first, second] + ending
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    if accepts([bytes[...]]) != isValid { mistakes.append(bytes) }
                    if accepts([bytes[..<1], bytes[1...]]) != isValid { mistakes.append(bytes) }
                }
            }
        }
        #expect(mistakes.isEmpty)
    }

    @Test("an error among characters of every length is found wherever it is and however the text is cut")
    func errors() {
        let text = Array(String(repeating: "plain ASCII, é, €, 𐍈; ", count: 4).utf8)
        for cut in text.indices { #expect(accepts([text[..<cut], text[cut...]])) }
        for place in text.indices {
            var broken = text
            broken[place] = 0xFF
            #expect(!accepts([broken[...]]))
        }
        #expect(!accepts([text.dropLast(3)]))
    }

    @Test(
        "the byte that makes text invalid is the one that is refused",
        arguments: [
            [0xF4, 0x90], [0xED, 0xA0], [0xE0, 0x9F], [0xF0, 0x8F], [0xC0], [0xF5], [0x80], [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func firstByte(_ bytes: [UInt8]) {
        var validator = UTF8Validator()
        let text = Array("κόσμε and sixteen bytes more".utf8) + bytes.dropLast()
        #expect(unsafe validator.read(text.span.bytes))
        #expect(unsafe !validator.read(Array(bytes.suffix(1)).span.bytes))
    }
}
