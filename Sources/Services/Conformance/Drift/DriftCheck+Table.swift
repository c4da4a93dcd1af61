extension DriftCheck: CustomStringConvertible {
    /// How many cases have each standing, as a half sentence.
    public var counts: String {
        Standing.allCases.map { "\(count($0)) \($0.rawValue)" }.joined(separator: ", ")
    }

    /// The counts, and a line for all that is not verified: what drifts, what is known to differ, what is unverified, what only references
    /// have, and what is stale.
    public var description: String {
        let standings: [Standing] = [.drift, .known, .unverified]
        var rows = standings.flatMap { standing in
            cases.filter { $0.standing == standing }
                .flatMap { test in
                    (test.differences.map(\.description) + [test.reason].compactMap(\.self))
                        .map { (standing.rawValue, test.id, $0) }
                }
        }
        rows += missing.map { ("missing", $0.id, "only \($0.references.joined(separator: ", ")) has it") }
        rows += stale.flatMap { entry in
            entry.cases.map { ("stale", $0, "known of \(entry.reference), which does not differ") }
        }
        let widths = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        let lines = rows.map { standing, id, text in
            [padded(standing, to: widths.0), padded(id, to: widths.1), text].joined(separator: "  ")
        }
        return
            (["drift from \(references.joined(separator: ", ")): \(counts)"]
            + (lines.isEmpty ? [] : [""] + lines))
            .joined(separator: "\n")
    }
}

private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: width - text.count)
}
