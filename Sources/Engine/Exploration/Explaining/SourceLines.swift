import Foundation

/// Lines of the program's source, where it is on this machine.
package enum SourceLines {
    /// The line of that number without indentation and without a comment at its end; empty where it cannot be read.
    package static func line(_ number: Int, of path: String) -> String {
        let line = excerpt(around: number, of: path, lines: 0).first ?? ""
        guard let comment = line.range(of: "  // ") else { return line }
        return String(line[..<comment.lowerBound])
    }

    /// Whether a line says something, beside that a block begins or ends.
    package static func isStatement(_ source: String) -> Bool {
        // A file that cannot be read says nothing about its lines.
        if source.isEmpty { return true }
        if let first = source.first, "})]".contains(first), !source.contains("await") { return false }
        let words = source.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.contains { !["do", "defer", "repeat", "else", "catch", "in", "default"].contains($0) }
    }

    /// The line of that number if it says something, and otherwise the nearest before it that encloses it and does.
    package static func statement(at number: Int, of path: String) -> (line: Int, source: String) {
        let own = line(number, of: path)
        if isStatement(own) { return (number, own) }
        let before = excerpt(around: number, of: path, lines: number).prefix(number)
        // Blocks that end between there and here.
        var depth = own.hasPrefix("}") ? 1 : 0
        for (index, text) in before.enumerated().dropLast().reversed() {
            let text = text.trimmingPrefix { $0.isWhitespace }
            let comment = text.firstRange(of: "//")?.lowerBound ?? text.endIndex
            for character in text[..<comment].reversed() {
                if character == "}" { depth += 1 }
                if character == "{" { depth -= 1 }
            }
            guard depth <= 0, text[..<comment].contains("{") else { continue }
            let source = line(index + 1, of: path)
            if isStatement(source) { return (index + 1, source) }
            depth = source.hasPrefix("}") ? depth : max(depth, 0)
        }
        return (number, own)
    }

    /// The lines around one, which may be fewer at the ends of the file; empty where it cannot be read.
    package static func excerpt(around number: Int, of path: String, lines: Int) -> [String] {
        let most = 4 << 20  // bytes; no source that people write is larger
        guard number > 0, let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= most, let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return [] }
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The file may have been changed since the program was built.
        guard number <= all.count else { return [] }
        let range = max(0, number - 1 - lines)..<min(all.count, number + lines)
        return all[range].map { lines == 0 ? $0.trimmingPrefix { $0.isWhitespace }.description : String($0) }
    }
}
