import Foundation
import Testing

/// Whoever copies the blocks of the guide to apps has its program.
@Suite("The guide to apps")
struct AppGuideTests {
    private static let folder = "Tests/Programs/Notes"

    @Test func `the guide has each file of its program, whole, and no other Swift`() throws {
        let tree = try SourceTree()
        let guide = try #require(tree.documents.first { $0.path == "Documentation/WriteAnApp.md" }).text
        let folder = tree.root.appending(path: Self.folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            let isMade = name.hasPrefix(".") || name == "Package.resolved"
            return !isMade && name.contains(".")
        }
        #expect(names.count >= 10)
        for name in names {
            var text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            // The reader's package lies beside the clone.
            if name == "Package.swift" { text = text.replacing(#""../../..""#, with: #""../LensSim""#) }
            let kind = name.split(separator: ".").last ?? ""
            #expect(guide.hasBytes(of: "\n`\(name)`:\n\n```\(kind)\n\(text)```\n"), "\(name)")
        }
        let blocks = guide.components(separatedBy: "\n```swift\n").count - 1
        #expect(blocks == names.count { $0.hasSuffix(".swift") })
    }
}
