/// Reads from the source of a test whether it is asynchronous, as the `@Test` macro does; a `Test` itself does not know.
package enum DeclaredEffects {
    /// Whether the function that has an attribute at this place is `async`; `nil` where no function begins there.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - line: The line of the attribute's name, after `@`, from one.
    ///   - column: Its column in bytes, from one.
    package static func isAsync(in source: String, line: Int, column: Int) -> Bool? {
        var reader = Reader(Array(source.utf8), line: line, column: column)
        guard case .word(let name) = reader.token(), ["Test", "Testing"].contains(name) else { return nil }
        // What else the attribute says, other attributes, and modifiers.
        while let token = reader.token() {
            switch token {
            case .word("func"): return reader.isAsyncAfterFunc()
            case .word, .group, .other: break
            case .brace: return nil
            }
        }
        return nil
    }

    private enum Token: Equatable {
        case word(String)
        /// Parentheses or brackets, with all that is in them.
        case group
        case brace
        case other(UInt8)
    }

    private struct Reader {
        private let bytes: [UInt8]
        private var position: Int

        init(_ bytes: [UInt8], line: Int, column: Int) {
            self.bytes = bytes
            var start = 0
            for _ in 1..<max(1, line) {
                guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
                    start = bytes.count
                    break
                }
                start = end + 1
            }
            position = min(bytes.count, start + max(0, column - 1))
        }

        var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private func sees(_ text: String) -> Bool {
            bytes[position...].starts(with: text.utf8)
        }

        /// Between the name of a function and its body.
        mutating func isAsyncAfterFunc() -> Bool? {
            var hasParameters = false
            var depth = 0
            while let token = token() {
                switch token {
                case .other(UInt8(ascii: "<")) where !hasParameters: depth += 1
                case .other(UInt8(ascii: ">")) where !hasParameters: depth -= 1
                case .group where depth == 0: hasParameters = true
                case .word("async") where hasParameters: return true
                case .word("where") where hasParameters: return false
                // The result of a function type may be an asynchronous function.
                case .other(UInt8(ascii: "-")) where hasParameters: return false
                case .brace: return hasParameters ? false : nil
                default: break
                }
            }
            return nil
        }

        mutating func token() -> Token? {
            skipSpace()
            guard let byte = next else { return nil }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["):
                skipGroup()
                return .group
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                position += 1
                return .brace
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                skipText()
                return .other(byte)
            case UInt8(ascii: "`"):
                position += 1
                while let byte = next, byte != UInt8(ascii: "`") { position += 1 }
                position += 1
                return .other(byte)
            default:
                let start = position
                while let byte = next, Self.isWord(byte) { position += 1 }
                if position > start { return .word(String(decoding: bytes[start..<position], as: UTF8.self)) }
                position += 1
                return .other(byte)
            }
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }

        /// Past spaces and comments, which nest.
        private mutating func skipSpace() {
            while let byte = next {
                if byte <= UInt8(ascii: " ") {
                    position += 1
                } else if sees("//") {
                    while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
                } else if sees("/*") {
                    var depth = 0
                    repeat {
                        if sees("/*") {
                            depth += 1
                            position += 2
                        } else if sees("*/") {
                            depth -= 1
                            position += 2
                        } else {
                            position += 1
                        }
                    } while depth > 0 && next != nil
                } else {
                    return
                }
            }
        }

        /// From an opening bracket to past the one that closes it.
        private mutating func skipGroup() {
            var depth = 0
            repeat {
                skipSpace()
                switch next {
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    position += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    position += 1
                case UInt8(ascii: "\""), UInt8(ascii: "#"): skipText()
                default: position += 1
                }
            } while depth > 0 && next != nil
        }

        /// Past a literal of text: in one or three quotes, raw or not; past the mark alone where `#` begins something else.
        private mutating func skipText() {
            var marks = 0
            while next == UInt8(ascii: "#") {
                marks += 1
                position += 1
            }
            guard next == UInt8(ascii: "\"") else { return }
            let isLong = sees("\"\"\"")
            position += isLong ? 3 : 1
            while next != nil {
                if next == UInt8(ascii: "\\"), hasMarks(marks, after: 1) {
                    position += 1 + marks
                    // What is interpolated may have texts itself.
                    if next == UInt8(ascii: "(") { skipGroup() } else { position += 1 }
                } else if isLong ? sees("\"\"\"") : sees("\""), hasMarks(marks, after: isLong ? 3 : 1) {
                    position += (isLong ? 3 : 1) + marks
                    return
                } else {
                    position += 1
                }
            }
        }

        private func hasMarks(_ count: Int, after offset: Int) -> Bool {
            let start = position + offset
            return start + count <= bytes.count
                && bytes[start..<start + count].allSatisfy { $0 == UInt8(ascii: "#") }
        }
    }
}
