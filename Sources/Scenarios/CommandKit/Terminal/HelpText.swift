/// The discussion of a command's help, laid out for the width of the terminal.
///
/// Help is written in the sources with lines of any length: paragraphs, which are filled, and indented rows, such as
/// examples with what they do after two blanks, whose second column is filled in its place.
package struct HelpText {
    /// The narrowest second column; a row that has less room puts it below the first.
    private static let narrowest = 24

    private enum Block {
        case paragraph([Substring])
        case rows([(head: String, explanation: [Substring])])
    }

    private var blocks: [Block] = []

    private init(_ text: String) {
        var continues = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            defer { continues = !line.isEmpty }
            if line.isEmpty { continue }
            if line.hasPrefix("  ") {
                add(row: line.drop { $0 == " " }, continues)
            } else {
                add(line, continues)
            }
        }
    }

    /// The text as `CommandConfiguration` takes it, which breaks lines once more that are as wide as the terminal.
    package static func filled(_ text: String) -> String {
        HelpText(text).lines(width: Terminal.width - 2).joined(separator: "\n")
    }

    private mutating func add(_ line: Substring, _ continues: Bool) {
        let words = line.split(separator: " ")
        if continues, case .paragraph(let before)? = blocks.last {
            blocks[blocks.count - 1] = .paragraph(before + words)
        } else {
            blocks.append(.paragraph(words))
        }
    }

    private mutating func add(row line: Substring, _ continues: Bool) {
        let end = line.firstRange(of: "  ")?.lowerBound ?? line.endIndex
        let row = (head: String(line[..<end]), explanation: line[end...].split(separator: " "))
        if continues, case .rows(let before)? = blocks.last {
            blocks[blocks.count - 1] = .rows(before + [row])
        } else {
            blocks.append(.rows([row]))
        }
    }

    private func lines(width: Int) -> [String] {
        var lines: [String] = []
        for block in blocks {
            switch block {
            case .paragraph(let words):
                if !lines.isEmpty { lines.append("") }
                lines += Self.fill(words, width: width)
            case .rows(let rows):
                for row in Self.lay(rows, width: width) { lines.append("  " + row) }
            }
        }
        return lines
    }

    /// Two columns, of which the first is as wide as its explained rows need.
    private static func lay(_ rows: [(head: String, explanation: [Substring])], width: Int) -> [String] {
        let heads = rows.filter { !$0.explanation.isEmpty }.map(\.head.count)
        let indent = (heads.max() ?? 0) + 2
        return rows.flatMap { head, explanation -> [String] in
            if explanation.isEmpty { return [head] }
            let room = width - 2 - indent
            guard room >= narrowest else {
                return [head] + fill(explanation, width: width - 6).map { "    " + $0 }
            }
            let filled = fill(explanation, width: room)
            let margin = String(repeating: " ", count: indent)
            let first = head.padded(to: indent) + filled[0]
            return [first] + filled.dropFirst().map { margin + $0 }
        }
    }

    private static func fill(_ words: [Substring], width: Int) -> [String] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
