import Foundation
package import Services

/// Replaces known secret values wherever they stand: as they are, percent-encoded, in JSON, and in Base64.
///
/// A service may send a secret back in any place, under any name; only its value tells. Base64 of a secret with
/// something around it keeps the letters at its borders, which hold bits of both.
package struct SecretMask: Sendable {
    /// What stands in a secret's place.
    package static let word = "<redacted>"

    /// Values of fewer bytes are left alone: they would be found by chance, in the text of a picture.
    static let leastCount = 6

    /// How many values are looked for that were found on the way: of more, those are forgotten that were found longest ago.
    static let mostFound = 1_024
    /// How many bytes all forms of those values have at most.
    static let mostBytes = 16 << 20
    /// How many values are looked for as long as the mask lives; more count as found.
    private static let mostKept = 1_024
    /// How many bytes all forms of those values have at most.
    private static let mostKeptBytes = 16 << 20

    /// How a value came to be looked for.
    private enum Origin {
        /// Somebody has named it.
        case named
        /// It stood under the name of a credential.
        case found
        /// The same, in what a service has said: it has a word of its own.
        case issued
    }

    /// A value that is looked for.
    private struct Value {
        var forms: [[UInt8]]
        /// What stands in its place.
        var word: [UInt8]
        /// When it was found last; `nil` for one that is never forgotten.
        var find: Int?
    }

    /// By their UTF-8: letters that are written in two ways are two values.
    private var values: [[UInt8]: Value] = [:]
    private var kept = 0
    private var keptBytes = 0
    private var found = 0
    private var foundBytes = 0
    private var finds = 0
    private var patterns = SecretPatterns()
    /// How many words of issued values there are.
    private(set) var issued = 0

    /// Prepares to look for values, each of which becomes ``word``.
    package init(_ secrets: [Secret]) { learn(secrets) }

    /// What stands in the place of a value that a service has issued: equal values have equal words, as they have for the program.
    static func word(of number: Int) -> String { "<redacted-\(number)>" }

    /// Looks for more values from now on, each of which becomes ``word``.
    mutating func learn(_ secrets: [Secret]) {
        for secret in secrets { _ = note(secret, .named) }
    }

    /// Looks for a value that stood under the name of a credential.
    ///
    /// - Returns: What stands in its place.
    mutating func find(_ secret: Secret) -> String { note(secret, .found) }

    /// Looks for a value that a service has issued.
    ///
    /// - Returns: What stands in its place.
    mutating func issue(_ secret: Secret) -> String { note(secret, .issued) }

    /// Whether there is nothing to look for.
    var isEmpty: Bool { patterns.isEmpty }

    /// The bytes of the longest that is looked for.
    var longest: Int { max(1, patterns.longest) }

    // MARK: Values

    private mutating func note(_ secret: Secret, _ origin: Origin) -> String {
        let text = secret.reveal().trimmingCharacters(in: .whitespacesAndNewlines)
        let value = Array(text.utf8)
        finds += 1
        if let known = values[value] {
            if known.find != nil {
                values[value]?.find = finds
                if origin == .named { keep(value) }
            }
            return String(decoding: known.word, as: UTF8.self)
        }
        guard value.count >= Self.leastCount else { return Self.word }
        if origin == .issued { issued += 1 }
        let word = origin == .issued ? Self.word(of: issued) : Self.word
        let forms = Set(Self.forms(of: text)).filter { $0.count >= Self.leastCount }
        values[value] = Value(forms: Array(forms), word: Array(word.utf8), find: finds)
        for form in forms { patterns.insert(form, word: Array(word.utf8)) }
        found += 1
        foundBytes += Self.byteCount(of: forms)
        if origin == .named { keep(value) }
        while found > Self.mostFound || foundBytes > Self.mostBytes { forgetOldest() }
        return word
    }

    /// Never forgets a value from now on, if there is room.
    private mutating func keep(_ value: [UInt8]) {
        guard let known = values[value], known.find != nil else { return }
        let bytes = Self.byteCount(of: known.forms)
        guard kept < Self.mostKept, keptBytes + bytes <= Self.mostKeptBytes else { return }
        values[value]?.find = nil
        kept += 1
        keptBytes += bytes
        found -= 1
        foundBytes -= bytes
    }

    private static func byteCount(of forms: some Sequence<[UInt8]>) -> Int {
        forms.reduce(0) { $0 + $1.count }
    }

    private mutating func forgetOldest() {
        var oldest: (value: [UInt8], find: Int)?
        for (value, known) in values {
            guard let find = known.find, find < oldest?.find ?? .max else { continue }
            oldest = (value, find)
        }
        guard let oldest, let forgotten = values.removeValue(forKey: oldest.value) else { return }
        for form in forgotten.forms {
            patterns.remove(form)
            foundBytes -= form.count
        }
        found -= 1
    }

    // MARK: Replacing

    /// The text without secrets.
    package func masked(_ text: String) -> String {
        isEmpty ? text : String(decoding: masked(Array(text.utf8)), as: UTF8.self)
    }

    /// The bytes without secrets.
    func masked(_ bytes: [UInt8]) -> [UInt8] { masked([bytes])[0] }

    /// The chunks of one whole without secrets, also where one lies across chunks.
    ///
    /// The word stands in the chunk in which the secret begins.
    func masked(_ chunks: [[UInt8]]) -> [[UInt8]] {
        let whole = chunks.count == 1 ? chunks[0] : Array(chunks.joined())
        let found = patterns.matches(in: whole)
        if found.isEmpty { return chunks }
        var rest = found[...]
        var start = 0
        return chunks.map { chunk in
            var masked: [UInt8] = []
            var place = start
            let end = start + chunk.count
            while let (secret, word) = rest.first, secret.lowerBound < end {
                masked += whole[place..<max(place, secret.lowerBound)]
                if secret.lowerBound >= start { masked += word }
                place = min(end, secret.upperBound)
                if secret.upperBound > end { break }
                rest.removeFirst()
            }
            masked += whole[place..<end]
            start = end
            return masked
        }
    }

    /// The bytes with each secret made unreadable in its place, for files whose offsets matter.
    func blanked(_ bytes: [UInt8]) -> [UInt8] {
        var blanked = bytes
        for range in ranges(in: bytes) {
            blanked.replaceSubrange(range, with: repeatElement(UInt8(ascii: "*"), count: range.count))
        }
        return blanked
    }

    // MARK: Searching

    /// How many of the last bytes may be the beginning of a secret that goes on in the next chunk.
    func openCount(_ bytes: [UInt8]) -> Int { patterns.openCount(bytes) }

    /// How many of the first bytes may be the end of a secret that began in a chunk before.
    func restCount(_ bytes: [UInt8]) -> Int { patterns.restCount(bytes) }

    /// Where secrets stand, in order.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] { patterns.matches(in: bytes).map(\.range) }

    // MARK: Forms

    /// The ways in which a value may be written.
    private static func forms(of value: String) -> [[UInt8]] {
        let bytes = Array(value.utf8)
        let quoted = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return [
            bytes, percentEncoded(bytes, "0123456789ABCDEF"), percentEncoded(bytes, "0123456789abcdef"),
            Array(quoted.utf8), Array(quoted.replacing("/", with: "\\/").utf8),
        ] + (0..<3).flatMap { base64(bytes, offset: $0) }
    }

    /// Source: RFC 3986, section 2.3, for the characters that stay.
    private static func percentEncoded(_ bytes: [UInt8], _ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return bytes.flatMap { byte in
            unreserved.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// The letters of Base64, in both alphabets, that depend on the value alone when `offset` bytes stand before it.
    private static func base64(_ bytes: [UInt8], offset: Int) -> [[UInt8]] {
        let before = [UInt8](repeating: 0, count: offset)
        let letters = Array(Data(before + bytes).base64EncodedString().utf8)
        // Six bits a letter; those that hold bits of a neighbour are left out.
        let own = letters[(offset * 8 + 5) / 6..<(offset + bytes.count) * 8 / 6]
        let safe = own.map { letter in
            letter == UInt8(ascii: "+")
                ? UInt8(ascii: "-") : letter == UInt8(ascii: "/") ? UInt8(ascii: "_") : letter
        }
        return [Array(own), safe]
    }
}
