import CommandKit
import Conformance

/// Results of implementations beside each other, suite by suite.
struct ValidationMatrix {
    /// The results of one suite, each of another implementation.
    private var suites: [(name: String, results: [SuiteResult])] = []

    init(_ results: [SuiteResult]) {
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

    /// A row for each implementation.
    var lines: [String] {
        suites.flatMap { suite in
            let width = suite.results.map(\.implementation.count).max() ?? 0
            return [suite.name]
                + suite.results.map { result in
                    let counts =
                        result.note
                        ?? "\(result.count(.passed)) passed, \(result.count(.failed)) failed, \(result.count(.skipped)) skipped"
                    return "  \(result.implementation.padded(to: width))  \(counts)"
                }
        }
    }

    // MARK: Page

    /// One HTML file.
    var page: String {
        """
        <!doctype html>
        <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Implementations and requirements</title>
        <style>
        :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --edge: #8a91a566; --good: #1a7f4b; --bad: #c0262d; --none: #667085; }
        @media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff7b7f; --none: #98a1b3; } }
        body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
        table { border-collapse: collapse; margin: 1rem 0 2.5rem; }
        th, td { border-bottom: 1px solid var(--edge); padding: .3rem .7rem; text-align: start; vertical-align: top; }
        thead th { position: sticky; top: 0; background: Canvas; vertical-align: bottom; }
        th[scope=row] { font-weight: normal; } th[scope=row] code { display: block; opacity: .7; font-size: .85em; }
        tr.group th { font-weight: 600; padding-top: 1rem; }
        td { text-align: center; } td details { text-align: start; max-width: 24rem; } summary { cursor: pointer; text-align: center; }
        .passed { color: var(--good); } .failed { color: var(--bad); font-weight: 600; } .skipped, .untried { color: var(--none); }
        small { font-weight: normal; display: block; }
        </style>
        <h1>Implementations and requirements</h1>
        <p><span class="passed">✔ met</span> · <span class="failed">✘ not met</span> · <span class="skipped">– skipped, with its reason</span> \
        · <span class="untried">blank: not tried</span></p>
        \(suites.map(table).joined())
        </html>

        """
    }

    private func table(_ suite: (name: String, results: [SuiteResult])) -> String {
        let heads = suite.results.map { result in
            let counts =
                result.note
                ?? "\(result.count(.passed)) of \(result.cases.count) met"
            return "<th scope=\"col\">\(result.implementation.inMarkup)<small>\(counts.inMarkup)</small></th>"
        }
        var group = ""
        let rows = cases(of: suite.results).map { test in
            let newGroup = String(test.id.prefix { $0 != "." })
            let heading =
                newGroup == group
                ? ""
                : "<tr class=\"group\"><th colspan=\"\(suite.results.count + 1)\">\(newGroup.inMarkup)</th></tr>\n"
            group = newGroup
            let cells = suite.results.map { result in cell(result.cases.first { $0.id == test.id }) }
            return heading
                + "<tr><th scope=\"row\">\(test.requirement.inMarkup)<code>\(test.id.inMarkup)</code></th>\(cells.joined())</tr>\n"
        }
        return """
            <h2>\(suite.name.inMarkup)</h2>
            <table><thead><tr><th>requirement</th>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined())</tbody></table>

            """
    }

    private func cell(_ test: SuiteResult.Case?) -> String {
        guard let test else { return "<td class=\"untried\" aria-label=\"not tried\"></td>" }
        let mark =
            switch test.result {
            case .passed: "<span aria-label=\"met\">✔</span>"
            case .failed: "<span aria-label=\"not met\">✘</span>"
            case .skipped: "<span aria-label=\"skipped\">–</span>"
            }
        guard let reason = test.reason else { return "<td class=\"\(test.result.rawValue)\">\(mark)</td>" }
        return
            "<td class=\"\(test.result.rawValue)\"><details><summary>\(mark)</summary>\(reason.inMarkup)</details></td>"
    }
}

extension SuiteResult {
    /// What stands in the place of counts where there are none.
    fileprivate var note: String? { error.map { "error: \($0)" } ?? skipped.map { "skipped: \($0)" } }
}
