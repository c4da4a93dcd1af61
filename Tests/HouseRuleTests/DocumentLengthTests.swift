import Foundation
import Testing

@Suite("Lengths of documents")
struct DocumentLengthTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func `the README and the notes of a version are short`() throws {
        let readme = try #require(tree.documents.first { $0.path == "README.md" })
        #expect(readme.text.split(whereSeparator: \.isWhitespace).count <= 900)
        let changelog = try #require(tree.documents.first { $0.path == "CHANGELOG.md" })
        let sections = changelog.text.components(separatedBy: "\n## ").dropFirst()
        #expect(!sections.isEmpty)
        for section in sections {
            #expect(section.split(separator: "\n").count <= 40, "\(section.prefix(40))")
        }
    }
}
