import Foundation
import Testing

/// Whoever copies the blocks of the guide to apps has its program.
@Suite("The guide to apps")
struct AppGuideTests {
    private static let folder = "Tests/Programs/Notes/"

    @Test func `the guide has each file of its program, whole, and no other Swift`() throws {
        let tree = try SourceTree()
        let guide = try #require(tree.documents.first { $0.path == "Documentation/WriteAnApp.md" }).text
        let files = (tree.files + tree.scripts).filter { $0.path.hasPrefix(Self.folder) }
        #expect(files.count >= 10)
        for file in files {
            let name = file.path.dropFirst(Self.folder.count)
            // The reader's package lies beside the clone.
            let text =
                name == "Package.swift"
                ? file.text.replacing(#""../../..""#, with: #""../LensSim""#) : file.text
            let kind = name.split(separator: ".").last ?? ""
            #expect(guide.hasBytes(of: "\n`\(name)`:\n\n```\(kind)\n\(text)```\n"), "\(name)")
        }
        let blocks = guide.components(separatedBy: "\n```swift\n").count - 1
        #expect(blocks == files.count { $0.path.hasSuffix(".swift") })
    }
}
