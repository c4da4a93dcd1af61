import Foundation
import Testing

@Suite("Names of the source")
struct NameTableTests {
    /// The apps that are in the package, each with a number of rows that its table has at least.
    private static let apps = [("Lens", 25), ("Flow", 10), ("Argus", 13), ("Nova", 18)].filter { app, _ in
        SourceTree.hasApp(app)
    }

    @Test(arguments: apps)
    func `every type of the table of names is declared in the file beside it`(
        _ app: String,
        _ count: Int
    ) throws {
        let tree = try SourceTree()
        let document = try String(
            contentsOf: tree.root.appending(path: "Documentation/\(app).md"),
            encoding: .utf8
        )
        let rows = document.matches(of: /(?m)^\| .*\| `(\w+)` \| `((?:Sources|Simulators)\/[^`]+)` \|$/)
        #expect(rows.count > count)
        for row in rows {
            let text = tree.files.first { $0.path == row.2 }?.text ?? ""
            let declaration = try Regex(
                "(?m)^(public )?(final )?(class|struct|actor|protocol|enum) \(row.1)\\b"
            )
            #expect(text.contains(declaration), "\(row.1) is not declared in \(row.2)")
        }
    }
}
