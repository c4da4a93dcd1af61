import Foundation
import Testing

/// What several apps stand on says nothing of one of them.
@Suite("Kits know no app")
struct KitRuleTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func `what the pages of all apps have in common knows no app`() throws {
        let allowed: Set = [
            "Concurrency", "Foundation", "HTTPTypes", "ScreenKit", "Services", "Synchronization", "Transport",
        ]
        #expect(try tree.imports(of: "Sources/Kernel/PageKit").subtracting(allowed) == [])
        let kit = (tree.files + tree.scripts).filter { $0.path.hasPrefix("Sources/Kernel/PageKit/") }
        #expect(kit.contains { $0.path.hasSuffix(".swift") } && kit.contains { $0.path.hasSuffix(".js") })
        for file in kit {
            #expect(!file.text.lowercased().hasBytes(of: "lens"), "\(file.path) names an app")
        }
    }

    @Test func `what the programs of all apps have in common imports no app`() throws {
        let imports = try tree.imports(of: "Sources/Scenarios/AppHost")
        #expect(imports.contains("PageKit"))
        for name in imports {
            #expect(!name.hasPrefix("Lens") && !name.hasPrefix("Flow"), "AppHost imports \(name)")
        }
    }
}
