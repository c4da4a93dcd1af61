extension PlainElement {
    /// A document is not plain XML, or goes past a bound.
    public struct Unreadable: Error, Sendable, Hashable {
        /// Where it was noticed, in bytes from the beginning.
        public let offset: Int
    }

    /// Reads a document from another party.
    ///
    /// Document types, entities of their own and processing instructions but the first line are refused; comments and attributes are
    /// passed over. Text of characters that are only blanks, beside elements, is left out.
    ///
    /// - Parameters:
    ///   - document: In UTF-8, bounded by its reader.
    ///   - depth: The most elements inside of each other.
    ///   - count: The most elements.
    public init(
        reading document: [UInt8],
        atMostDeep depth: Int = 8,
        atMost count: Int = 100_000
    ) throws(Unreadable) {
        var reader = DocumentReader(bytes: document, depth: depth, left: count)
        self = try reader.document()
    }
}

/// Reads elements from the front of a document.
private struct DocumentReader {
    let bytes: [UInt8]
    let depth: Int
    /// How many elements may still come.
    var left: Int
    var place = 0

    private var failure: PlainElement.Unreadable { PlainElement.Unreadable(offset: place) }

    mutating func document() throws(PlainElement.Unreadable) -> PlainElement {
        if starts(with: "\u{FEFF}") { place += 3 }
        if starts(with: "<?xml") { try skip(past: "?>") }
        try skipBlanksAndComments()
        guard starts(with: "<") else { throw failure }
        let element = try element(level: 1)
        try skipBlanksAndComments()
        guard place == bytes.count else { throw failure }
        return element
    }

    /// An element, from its `<` to its end.
    private mutating func element(level: Int) throws(PlainElement.Unreadable) -> PlainElement {
        guard level <= depth, left > 0 else { throw failure }
        left -= 1
        place += 1
        let fullName = try name()
        let isEmpty = try skipAttributes()
        var element = PlainElement(Self.local(fullName), [])
        if isEmpty { return element }
        var text: [UInt8] = []
        while true {
            guard place < bytes.count else { throw failure }
            if starts(with: "</") {
                place += 2
                guard try name() == fullName else { throw failure }
                skipBlanks()
                guard starts(with: ">") else { throw failure }
                place += 1
                break
            } else if starts(with: "<!--") {
                try skip(past: "-->")
            } else if starts(with: "<![CDATA[") {
                place += 9
                let start = place
                try skip(past: "]]>")
                text += bytes[start..<place - 3]
            } else if starts(with: "<") {
                element.children.append(try self.element(level: level + 1))
            } else if starts(with: "&") {
                text += try reference()
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        let isBlank = !element.children.isEmpty && text.allSatisfy(Self.isBlank)
        guard let known = String(validating: isBlank ? [] : text, as: UTF8.self) else { throw failure }
        element.text = known
        return element
    }

    /// Passes over attributes to the end of a tag, and says whether the element ends with it.
    private mutating func skipAttributes() throws(PlainElement.Unreadable) -> Bool {
        while true {
            skipBlanks()
            if starts(with: "/>") {
                place += 2
                return true
            }
            if starts(with: ">") {
                place += 1
                return false
            }
            _ = try name()
            skipBlanks()
            guard starts(with: "=") else { throw failure }
            place += 1
            skipBlanks()
            guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]),
                let end = bytes[(place + 1)...].firstIndex(of: bytes[place]),
                !bytes[place..<end].contains(UInt8(ascii: "<"))
            else { throw failure }
            place = end + 1
        }
    }

    private mutating func name() throws(PlainElement.Unreadable) -> String {
        let start = place
        while place < bytes.count, Self.isName(bytes[place]) { place += 1 }
        guard place > start, let name = String(validating: bytes[start..<place], as: UTF8.self) else {
            throw failure
        }
        return name
    }

    /// One of the five entities of XML, or a character by its number.
    private mutating func reference() throws(PlainElement.Unreadable) -> [UInt8] {
        guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw failure }
        let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
        let known: [String: String] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        var character = known[name]
        if name.hasPrefix("#") {
            let digits = name.dropFirst()
            let isHexadecimal = digits.hasPrefix("x")
            let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            character = number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }.map { String(Character($0)) }
        }
        guard let character else { throw failure }
        place = end + 1
        return Array(character.utf8)
    }

    // MARK: Bytes

    private func starts(with text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private mutating func skip(past text: String) throws(PlainElement.Unreadable) {
        while place < bytes.count {
            if starts(with: text) {
                place += text.utf8.count
                return
            }
            place += 1
        }
        throw failure
    }

    private mutating func skipBlanks() {
        while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
    }

    private mutating func skipBlanksAndComments() throws(PlainElement.Unreadable) {
        skipBlanks()
        while starts(with: "<!--") {
            try skip(past: "-->")
            skipBlanks()
        }
    }

    private static func local(_ name: String) -> String {
        name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }
}
