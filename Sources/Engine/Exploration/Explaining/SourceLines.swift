import Foundation

/// Lines of the program's source, where it is on this machine.
package enum SourceLines {
    /// The line of that number without indentation and without a comment at its end; empty where it cannot be read.
    package static func line(_ number: Int, of path: String) -> String {
        let line = excerpt(around: number, of: path, lines: 0).first ?? ""
        guard let comment = line.range(of: "  // ") else { return line }
        return String(line[..<comment.lowerBound])
    }

    /// The lines around one, which may be fewer at the ends of the file; empty where it cannot be read.
    package static func excerpt(around number: Int, of path: String, lines: Int) -> [String] {
        let most = 4 << 20  // bytes; no source that people write is larger
        guard number > 0, let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size <= most, let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return [] }
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        let range = max(0, number - 1 - lines)..<min(all.count, number + lines)
        guard range.contains(number - 1) else { return [] }
        return all[range].map { lines == 0 ? $0.trimmingPrefix { $0.isWhitespace }.description : String($0) }
    }
}
