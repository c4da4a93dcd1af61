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

    /// The values that are looked for.
    private let secrets: [Secret]
    /// What is looked for, the longest first.
    private let patterns: [[UInt8]]
    /// The length of the shortest pattern.
    private let window: Int
    /// How far the search may move on, by the last two bytes of the window (Wu and Manber, 1994).
    private let shifts: [UInt8]

    /// Prepares to look for values.
    package init(_ secrets: [Secret]) {
        self.secrets = secrets
        let values = secrets.map { $0.reveal().trimmingCharacters(in: .whitespacesAndNewlines) }
        let forms = Set(values.filter { $0.utf8.count >= Self.leastCount }.flatMap(Self.forms))
        // In a fixed order, so that equal secrets give equal files.
        patterns = forms.filter { $0.count >= Self.leastCount }.sorted {
            $0.count != $1.count ? $0.count > $1.count : $0.lexicographicallyPrecedes($1)
        }
        window = min(patterns.last?.count ?? 0, 200)
        shifts = Self.shifts(for: patterns, window: window)
    }

    /// How many values are looked for at most.
    private static let mostSecrets = 256

    /// Looks for more values from now on, as long as there are not too many.
    mutating func learn(_ more: [Secret]) {
        let new = more.filter { !secrets.contains($0) }
        guard !new.isEmpty, secrets.count + new.count <= Self.mostSecrets else { return }
        self = SecretMask(secrets + new)
    }

    /// Whether there is nothing to look for.
    var isEmpty: Bool { patterns.isEmpty }

    /// The bytes of the longest that is looked for.
    var longest: Int { patterns.first?.count ?? 1 }

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
        let found = ranges(in: whole)
        if found.isEmpty { return chunks }
        var rest = found[...]
        var start = 0
        return chunks.map { chunk in
            var masked: [UInt8] = []
            var place = start
            let end = start + chunk.count
            while let secret = rest.first, secret.lowerBound < end {
                masked += whole[place..<max(place, secret.lowerBound)]
                if secret.lowerBound >= start { masked += Array(Self.word.utf8) }
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
    func openCount(_ bytes: [UInt8]) -> Int {
        let longest = min(bytes.count, longest - 1)
        for count in stride(from: longest, to: 0, by: -1) {
            let first = bytes[bytes.count - count]
            for pattern in patterns
            where pattern.count > count && pattern[0] == first && pattern.starts(with: bytes.suffix(count)) {
                return count
            }
        }
        return 0
    }

    /// How many of the first bytes may be the end of a secret that began in a chunk before.
    func restCount(_ bytes: [UInt8]) -> Int {
        let longest = min(bytes.count, longest - 1)
        for count in stride(from: longest, to: 0, by: -1) {
            let last = bytes[count - 1]
            for pattern in patterns
            where pattern.count > count && pattern[pattern.count - 1] == last
                && pattern.suffix(count).elementsEqual(bytes.prefix(count))
            {
                return count
            }
        }
        return 0
    }

    /// Where secrets stand, in order.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        guard window > 0 else { return [] }
        var found: [Range<Int>] = []
        var start = 0
        while start + window <= bytes.count {
            let end = start + window
            let shift = shifts[Int(bytes[end - 2]) << 8 | Int(bytes[end - 1])]
            if shift > 0 {
                start += Int(shift)
            } else if let secret = patterns.first(where: { bytes[start...].starts(with: $0) }) {
                found.append(start..<start + secret.count)
                start += secret.count
            } else {
                start += 1
            }
        }
        return found
    }

    private static func shifts(for patterns: [[UInt8]], window: Int) -> [UInt8] {
        guard window > 0 else { return [] }
        var shifts = [UInt8](repeating: UInt8(window - 1), count: 1 << 16)
        for pattern in patterns {
            for index in 0...(window - 2) {
                let pair = Int(pattern[index]) << 8 | Int(pattern[index + 1])
                shifts[pair] = min(shifts[pair], UInt8(window - 2 - index))
            }
        }
        return shifts
    }

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
