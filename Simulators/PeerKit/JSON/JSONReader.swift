/// Why bytes are no JSON document.
public struct JSONMalformed: Error, Sendable, Hashable, CustomStringConvertible {
    /// Values that a document may hold, so that a short text cannot become a large tree.
    public static let mostValues: Int = 1_000_000

    /// What is wrong.
    public let reason: String
    /// Where, in bytes from the beginning.
    public let offset: Int

    /// What is wrong, and where.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// Reads JSON (RFC 8259) strictly, and within bounds.
///
// Safe since no reader outlives the call that lends it the bytes.
@safe struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private let depth: Int
    private var position = 0
    private var valueCount = 0

    static func read(_ bytes: [UInt8], depth: Int) throws(JSONMalformed) -> JSONValue {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONMalformed) in
                var reader = unsafe JSONReader(bytes: bytes, depth: depth)
                return try reader.document()
            }
        }
        return try result.get()
    }

    private init(bytes: UnsafeRawBufferPointer, depth: Int) {
        unsafe self.bytes = unsafe bytes
        self.depth = depth
    }

    private mutating func document() throws(JSONMalformed) -> JSONValue {
        let value = try value(at: 0)
        skipBlanks()
        guard next == nil else { throw malformed("text after the end") }
        return value
    }

    private mutating func value(at level: Int) throws(JSONMalformed) -> JSONValue {
        guard level <= depth else { throw malformed("more than \(depth) levels") }
        valueCount += 1
        guard valueCount <= JSONMalformed.mostValues else {
            throw malformed("more than \(JSONMalformed.mostValues) values")
        }
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "{"): return .object(try members(at: level))
        case UInt8(ascii: "["): return .array(try elements(at: level))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    // MARK: Structure

    private mutating func members(at level: Int) throws(JSONMalformed) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        position += 1
        skipBlanks()
        if take("}") { return members }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw malformed("a name is missing") }
            let name = try text()
            skipBlanks()
            guard take(":") else { throw malformed("a colon is missing") }
            members[name] = try value(at: level + 1)
            skipBlanks()
        } while take(",")
        guard take("}") else { throw malformed("an object does not end") }
        return members
    }

    private mutating func elements(at level: Int) throws(JSONMalformed) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        skipBlanks()
        if take("]") { return elements }
        repeat {
            elements.append(try value(at: level + 1))
            skipBlanks()
        } while take(",")
        guard take("]") else { throw malformed("an array does not end") }
        return elements
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONMalformed) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            let wanted = unsafe word.utf8Start[offset]
            guard next == wanted else { throw malformed("an unknown word") }
            position += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(JSONMalformed) -> JSONValue {
        let start = position
        _ = take("-")
        if !take("0") { guard takeDigits() else { throw malformed("no value") } }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard takeDigits() else { throw malformed("a fraction without digits") }
        }
        if take("e") || take("E") {
            isWhole = false
            _ = take("+") || take("-")
            guard takeDigits() else { throw malformed("an exponent without digits") }
        }
        let text = unsafe String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else { throw malformed("a number out of range") }
        return .number(real)
    }

    private mutating func takeDigits() -> Bool {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position > start
    }

    // MARK: Texts

    private mutating func text() throws(JSONMalformed) -> String {
        position += 1
        let start = position
        skipPlain()
        if take("\"") { return try decoded(start..<(position - 1)) }
        // With an escape, the text is put together piece by piece.
        var text = try decoded(start..<position)
        while true {
            switch next {
            case UInt8(ascii: "\""):
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                text.unicodeScalars.append(try escape())
            case nil: throw malformed("a text does not end")
            default: throw malformed("a control character in a text")
            }
            let piece = position
            skipPlain()
            if position > piece { text += try decoded(piece..<position) }
        }
    }

    private func decoded(_ range: Range<Int>) throws(JSONMalformed) -> String {
        guard let text = unsafe String(validating: bytes[range], as: UTF8.self) else {
            throw malformed("a text is not UTF-8")
        }
        return text
    }

    private mutating func escape() throws(JSONMalformed) -> Unicode.Scalar {
        let kind = next
        position += 1
        switch kind {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
            guard UTF16.isLeadSurrogate(unit), take("\\"), take("u") else {
                throw malformed("half of a surrogate pair")
            }
            let trail = try codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { throw malformed("half of a surrogate pair") }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func codeUnit() throws(JSONMalformed) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw malformed("an escape without four digits")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Moves over all bytes of a text that stand for themselves.
    private mutating func skipPlain() { position = unsafe JSONText.endOfPlain(in: bytes, from: position) }

    // MARK: Bytes

    private var next: UInt8? { unsafe position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func malformed(_ reason: String) -> JSONMalformed {
        JSONMalformed(reason: reason, offset: position)
    }
}
