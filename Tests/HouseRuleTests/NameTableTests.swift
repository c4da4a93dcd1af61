import Foundation
import Testing

@Suite("Names of the source")
struct NameTableTests {
    @Test func `every type of the table of names is declared in the file beside it`() throws {
        let tree = try SourceTree()
        let document = try String(
            contentsOf: tree.root.appending(path: "Documentation/Lens.md"),
            encoding: .utf8
        )
        let rows = document.matches(of: /(?m)^\| `.*\| `(\w+)` \| `(Sources\/[^`]+)` \|$/)
        #expect(rows.count > 25)
        for row in rows {
            let text = tree.files.first { $0.path == row.2 }?.text ?? ""
            let declaration = try Regex(
                "(?m)^public (final )?(class|struct|actor|protocol|enum) \(row.1)\\b|^struct \(row.1)\\b"
            )
            #expect(text.contains(declaration), "\(row.1) is not declared in \(row.2)")
        }
    }
}
