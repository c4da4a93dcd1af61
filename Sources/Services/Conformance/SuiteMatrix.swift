/// Results of implementations beside each other, suite by suite.
///
/// Of one implementation the last result of a suite counts. What `lenssim matrix` shows.
public struct SuiteMatrix: Sendable {
    /// The results of one suite, each of another implementation.
    private var suites: [(name: String, results: [SuiteResult])] = []

    /// Puts results together.
    public init(_ results: [SuiteResult]) {
        for result in results {
            let index = suites.firstIndex { $0.name == result.suite } ?? suites.endIndex
            if index == suites.endIndex { suites.append((result.suite, [])) }
            let same = suites[index].results.firstIndex { $0.implementation == result.implementation }
            if let same { suites[index].results[same] = result } else { suites[index].results.append(result) }
        }
    }

    /// The cases of a suite: those of all results, in the order of the first that has them.
    private func cases(of results: [SuiteResult]) -> [SuiteResult.Case] {
        var ids: Set<String> = []
        return results.flatMap(\.cases).filter { ids.insert($0.id).inserted }
    }

    // MARK: Text

    /// The name of each suite, and a row for each of its implementations.
    ///
    /// Names and reasons are as results have them, with what characters they may have.
    public var lines: [String] {
        suites.flatMap { suite in
            let width = suite.results.map(\.implementation.count).max() ?? 0
            return [suite.name]
                + suite.results.map { result in
                    let counts =
                        result.note
                        ?? "\(result.count(.passed)) passed, \(result.count(.failed)) failed, \(result.count(.skipped)) skipped"
                        + (result.drift.map { "; \($0.counts)" } ?? "")
                    let gap = String(repeating: " ", count: width - result.implementation.count)
                    return "  \(result.implementation)\(gap)  \(counts)"
                }
        }
    }

    // MARK: Page

    /// One HTML file that loads nothing: implementations by requirements, with what was seen where one is not met.
    public var page: String {
        """
        <!doctype html>
        <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Implementations and requirements</title>
        <style>
        :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --edge: #8a91a566; --good: #1a7f4b; --bad: #c0262d; --none: #667085; }
        @media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff7b7f; --none: #98a1b3; } }
        body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
        table { border-collapse: collapse; margin: 1rem 0 2.5rem; }
        th, td { border-bottom: 1px solid var(--edge); padding: .2rem .6rem; text-align: start; vertical-align: top; }
        thead th { position: sticky; top: 0; background: Canvas; vertical-align: bottom; }
        th[scope=row] { font-weight: normal; min-width: 12rem; } th[scope=row] code { opacity: .7; font-size: .85em; margin-inline-start: .5em; }
        td { text-align: center; } td details { text-align: start; max-width: 24rem; } summary { cursor: pointer; text-align: center; }
        .overview td { text-align: end; white-space: nowrap; } .overview .note { text-align: start; }
        .bar { display: flex; width: 12rem; height: .8em; margin-top: .35em; } .bar i { background: currentColor; } .bar .skipped { opacity: .4; }
        @media (max-width: 48rem) { .bar { display: none; } }
        .passed { color: var(--good); } .failed { color: var(--bad); font-weight: 600; } .skipped, .untried { color: var(--none); }
        small { font-weight: normal; display: block; }
        </style>
        <h1>Implementations and requirements</h1>
        <p><span class="passed">✔ met</span> · <span class="failed">✘ not met</span> · <span class="skipped">– skipped, with its reason</span> \
        · <span class="untried">blank: not tried</span>\(legendOfDrift)</p>
        \(overview)\(suites.map(table).joined())
        </html>

        """
    }

    /// A row for each implementation, with its share of requirements as a bar.
    private var overview: String {
        let groups = suites.map { suite in
            let rows = suite.results.map { result in
                let cells =
                    result.note.map { "<td class=\"note\" colspan=\"4\">\($0.inMarkup)</td>" }
                    ?? "<td>\(bar(of: result))</td>\(counts(of: result))"
                return "<tr><th scope=\"row\">\(result.implementation.inMarkup)</th>\(cells)</tr>\n"
            }
            return "<tr><th colspan=\"5\">\(suite.name.inMarkup)</th></tr>\n\(rows.joined())"
        }
        return "<table class=\"overview\"><tbody>\n\(groups.joined())</tbody></table>\n"
    }

    private static let outcomes: [(outcome: SuiteResult.Outcome, name: String)] = [
        (.passed, "met"), (.failed, "not met"), (.skipped, "skipped"),
    ]

    /// The shares of what is met, not met and skipped; what the counts beside it say in words.
    private func bar(of result: SuiteResult) -> String {
        let parts = Self.outcomes.map {
            "<i class=\"\($0.outcome.rawValue)\" style=\"flex: \(result.count($0.outcome))\"></i>"
        }
        return "<span class=\"bar\" aria-hidden=\"true\">\(parts.joined())</span>"
    }

    private func counts(of result: SuiteResult) -> String {
        Self.outcomes.map { outcome, name in
            let count = result.count(outcome)
            return "<td class=\"\(count == 0 ? "untried" : outcome.rawValue)\">\(count) \(name)</td>"
        }
        .joined()
    }

    private func table(_ suite: (name: String, results: [SuiteResult])) -> String {
        let heads = suite.results.map { result in
            "<th scope=\"col\">\(result.implementation.inMarkup)"
                + (result.note.map { "<small>\($0.inMarkup)</small>" } ?? "") + "</th>"
        }
        let rows = cases(of: suite.results).map { test in
            let cells = suite.results.map { result in
                cell(result.cases.first { $0.id == test.id }, result.drift?[test.id])
            }
            return
                "<tr><th scope=\"row\">\(test.requirement.inMarkup) <code>\(test.id.inMarkup)</code></th>\(cells.joined())</tr>\n"
        }
        return """
            <h2>\(suite.name.inMarkup)</h2>
            <table><thead><tr><th>requirement</th>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined())</tbody></table>

            """
    }

    private func cell(_ test: SuiteResult.Case?, _ compared: DriftCheck.Case?) -> String {
        guard let test else { return "<td class=\"untried\" aria-label=\"not tried\"></td>" }
        let outcome =
            switch test.result {
            case .passed: "<span aria-label=\"met\">✔</span>"
            case .failed: "<span aria-label=\"not met\">✘</span>"
            case .skipped: "<span aria-label=\"skipped\">–</span>"
            }
        let mark = outcome + (compared?.standing.mark ?? "")
        // What references say has the own reason in it.
        let comparison =
            (compared?.differences.map(\.description) ?? []) + [compared?.reason].compactMap(\.self)
        let reasons = (comparison.isEmpty ? [test.reason].compactMap(\.self) : comparison).map(\.inMarkup)
        guard !reasons.isEmpty else { return "<td class=\"\(test.result.rawValue)\">\(mark)</td>" }
        return
            "<td class=\"\(test.result.rawValue)\"><details><summary>\(mark)</summary>\(reasons.joined(separator: "<br>"))</details></td>"
    }

    /// What the marks of drift mean, where there are some.
    private var legendOfDrift: String {
        guard suites.contains(where: { $0.results.contains { $0.drift != nil } }) else { return "" }
        return """
             · beside references:\(DriftCheck.Standing.drift.mark) drift,\(DriftCheck.Standing.known.mark) known to differ,\
            \(DriftCheck.Standing.unverified.mark) unverified
            """
    }
}

extension DriftCheck.Standing {
    /// What stands beside the outcome of a case that references do not confirm.
    fileprivate var mark: String {
        switch self {
        case .verified: ""
        case .drift: " <span class=\"failed\" aria-label=\"drift\">≠</span>"
        case .known: " <span class=\"skipped\" aria-label=\"known to differ\">≠</span>"
        case .unverified: " <span class=\"skipped\" aria-label=\"unverified\">?</span>"
        }
    }
}

extension SuiteResult {
    /// What stands in the place of counts where there are none.
    fileprivate var note: String? { error.map { "error: \($0)" } ?? skipped.map { "skipped: \($0)" } }
}
