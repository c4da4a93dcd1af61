/// An answer of the CGI dialect: `result=0;`, or `var name="value";`, or `ap_ssid[0]="name";`, one after the other.
///
/// What is read is text of a stranger: it is never evaluated, of each name the first value counts, so that a value that breaks out of its quotes
/// changes nothing before it, and its sizes are bounded.
package struct CGIReply: Sendable, Hashable {
    package private(set) var values: [String: String] = [:]
    package private(set) var arrays: [String: [Int: String]] = [:]

    private static let mostNames = 1024
    private static let mostElements = 256
    private static let mostNameBytes = 64

    /// The number of the value `result`; `nil` when there is none.
    package var result: Int? { integer("result") }

    package func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// The elements of an array, in the order of their indices.
    package func array(_ name: String) -> [String] {
        (arrays[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    /// Reads an answer; what makes no sense in it is passed over.
    package init(_ bytes: some Collection<UInt8>) {
        var text = Array(bytes)[...]
        while let statement = Self.nextStatement(&text) { take(statement) }
    }

    /// Takes one statement from the front: up to a semicolon that is not in quotes.
    ///
    /// Quotes end where a semicolon or the end follows, since cameras do not escape quotes inside.
    private static func nextStatement(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !text.isEmpty else { return nil }
        var isQuoted = false
        for place in text.indices {
            let byte = text[place]
            if byte == quote {
                isQuoted = isQuoted ? !endsQuotes(text[(place + 1)...]) : true
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                defer { text = text[(place + 1)...] }
                return text[..<place]
            }
        }
        defer { text = [] }
        return text
    }

    private static func endsQuotes(_ rest: ArraySlice<UInt8>) -> Bool {
        let next = rest.first { !isSpace($0) }
        return next == nil || next == UInt8(ascii: ";")
    }

    private mutating func take(_ statement: ArraySlice<UInt8>) {
        guard let equals = statement.firstIndex(of: UInt8(ascii: "=")) else { return }
        var name = Self.trimmed(statement[..<equals])
        if name.starts(with: "var ".utf8) { name = Self.trimmed(name.dropFirst(4)) }
        var value = Self.trimmed(statement[(equals + 1)...])
        if value.count >= 2, value.first == Self.quote, value.last == Self.quote {
            value = value.dropFirst().dropLast()
        } else if value.starts(with: "new ".utf8) {
            return
        }
        guard name.count <= Self.mostNameBytes else { return }
        let text = String(decoding: value, as: UTF8.self)
        guard let bracket = name.firstIndex(of: UInt8(ascii: "[")) else {
            guard Self.isName(name), values.count < Self.mostNames else { return }
            let key = String(decoding: name, as: UTF8.self)
            values[key] = values[key] ?? text
            return
        }
        let key = String(decoding: name[..<bracket], as: UTF8.self)
        guard name.last == UInt8(ascii: "]"), Self.isName(name[..<bracket]),
            let index = Int(String(decoding: name[(bracket + 1)...].dropLast(), as: UTF8.self)),
            (0..<Self.mostElements).contains(index),
            arrays[key] != nil || arrays.count < Self.mostElements
        else { return }
        arrays[key, default: [:]][index] = arrays[key]?[index] ?? text
    }

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        !name.isEmpty
            && name.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "_")
            }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private static let quote = UInt8(ascii: "\"")
}
