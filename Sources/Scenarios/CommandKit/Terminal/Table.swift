/// Rows of names and values, aligned.
package struct Table {
    private var rows: [(name: String, value: String)] = []

    /// A table without rows.
    package init() {}

    /// Adds a row.
    package mutating func add(_ name: String, _ value: String) { rows.append((name, value)) }

    /// One line a row.
    package var lines: [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            "  \(row.name.padded(to: width))  \(row.value)"
        }
    }
}

extension String {
    /// The text with blanks behind it, as wide as a column; what is wider stays as it is.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

/// A number with thin groups of three digits.
package func grouped(_ number: Int) -> String {
    var text = String(abs(number))
    var groups: [String] = []
    while text.count > 3 {
        groups.insert(String(text.suffix(3)), at: 0)
        text.removeLast(3)
    }
    groups.insert(text, at: 0)
    return (number < 0 ? "-" : "") + groups.joined(separator: " ")
}
