import Foundation

/// The functions of the C library, of Dispatch and of the Swift runtime that the engine defines in their place, by the
/// file that defines them: what `Documentation/PlainSwift.md` lists.
enum InterposedSymbols {
    private static let folder = "Sources/Engine/CSimulation"

    /// What the compiled engine defines and does not call its own: its own names begin with `csim_`.
    ///
    /// - Throws: Where a file of the engine has no object beside the tests that run, or one that cannot be read.
    static func inObjects(of tree: SourceTree) throws -> [String: Set<String>] {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let objects = tests.deletingLastPathComponent().appending(path: "CSimulation.build")
        // By the sources that there are: objects of removed files stay in the folder.
        let sources = tree.files.map(\.path).filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".c") }
        return try sources.reduce(into: [:]) { symbols, source in
            let name = String(source.dropFirst(folder.count + 1))
            let object = try ObjectFile(path: objects.appending(path: name + ".o").path)
            let own = object.exported.filter { !$0.hasPrefix("csim_") }
            if !own.isEmpty { symbols[name] = own }
        }
    }

    /// A line of the table: what a program calls, symbols, outcome, source file.
    struct Row {
        var calls: String
        var symbols: [String]
        var outcome: String
        var source: String
    }

    /// The rows of all tables of a page with these four columns.
    static func rows(in page: String) -> [Row] {
        page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }.compactMap {
            line in
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            guard cells.count == 4, cells[1] != "symbols" else { return nil }
            return Row(
                calls: cells[0],
                symbols: cells[1].matches(of: /`([^`]+)`/).map { String($0.1) },
                outcome: cells[2],
                source: cells[3].trimmingCharacters(in: ["`"])
            )
        }
    }
}
