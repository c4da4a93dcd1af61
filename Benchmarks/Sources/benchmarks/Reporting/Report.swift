import Foundation

/// All findings of a run.
struct Report: Sendable {
    private(set) var findings: [Finding] = []

    mutating func add(_ more: [Finding]) { findings += more }

    /// Those that miss their target, or could not be had.
    var missed: [Finding] { findings.filter { !$0.isMet } }

    /// For programs: one object a finding.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(findings), as: UTF8.self)
    }

    /// For people, and for Documentation/Performance.md: a table in Markdown.
    var table: String {
        let rows = findings.map { finding -> [String] in
            if let reason = finding.skipped {
                return [
                    finding.id, "none: \(reason)", "", finding.unit, limit(finding),
                    finding.isMet ? "" : "MISSED",
                ]
            }
            let spread = "\(text(finding.lowest)) … \(text(finding.highest))"
            let verdict = finding.target == nil ? "" : finding.isMet ? "met" : "MISSED"
            let rounds = finding.rounds == 1 ? "" : "\(spread) (\(finding.rounds))"
            return [finding.id, text(finding.median), rounds, finding.unit, limit(finding), verdict]
        }
        let head = ["benchmark", "median", "spread (rounds)", "unit", "target", ""]
        let widths = head.indices.map { column in ([head] + rows).map(\.[column].count).max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = line(widths.map { String(repeating: "-", count: $0) })
        return ([line(head), rule] + rows.map(line)).joined(separator: "\n")
    }

    private func limit(_ finding: Finding) -> String {
        switch finding.target {
        case .atLeast(let limit): "≥ \(text(limit))"
        case .atMost(let limit): "≤ \(text(limit))"
        case nil: ""
        }
    }

    /// Three significant digits, large numbers with separators between thousands.
    private func text(_ value: Double) -> String {
        guard value.magnitude < 1000 else {
            let digits = String(Int(value.rounded()))
            var grouped = ""
            for (index, digit) in digits.enumerated() {
                if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(",") }
                grouped.append(digit)
            }
            return grouped
        }
        let places = value.magnitude >= 100 ? 0 : value.magnitude >= 10 ? 1 : 2
        return String(format: "%.\(places)f", value)
    }
}
