import Foundation
import Testing

/// What several apps stand on says nothing of one of them.
@Suite("Kits know no app")
struct KitRuleTests {
    private static let kits = [
        "Sources/Concurrency", "Sources/Files", "Sources/Kernel/AppKernel", "Sources/Kernel/PageKit",
        "Sources/Kernel/ScreenKit", "Sources/Network/ServiceClient", "Sources/Scenarios/AppHost",
        "Sources/Scenarios/ScenarioKit", "Simulators/PeerKit",
    ]

    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func `what the pages of all apps have in common knows no app`() throws {
        let allowed: Set = [
            "Concurrency", "Foundation", "HTTPTypes", "ScreenKit", "Services", "Synchronization", "Transport",
        ]
        #expect(try tree.imports(of: "Sources/Kernel/PageKit").subtracting(allowed) == [])
    }

    @Test func `no kit names an app`() {
        for kit in Self.kits {
            let files = (tree.files + tree.scripts).filter { $0.path.hasPrefix(kit + "/") }
            #expect(!files.isEmpty, "there is no \(kit)")
            for file in files {
                for (number, line) in file.lines.enumerated() where Self.namesAnApp(line) {
                    Issue.record("\(file.path):\(number + 1) names an app")
                }
            }
        }
    }

    @Test(
        arguments: zip(
            [
                "of LensSim, in a .lenssession", "an overflow", "a LensApp", "the Flow",
                "let flowServer = HTTPFlow()",
            ],
            [false, false, true, true, true]
        )
    )
    func `a name of an app is found as a word, and as a part of a name`(line: String, isFound: Bool) {
        #expect(Self.namesAnApp(line[...]) == isFound)
    }

    /// Whether a word of a line, or a part of a name in it, is the name of an app.
    private static func namesAnApp(_ line: Substring) -> Bool {
        guard line.lowercased().contains(/lens|flow/) else { return false }
        let words = line.replacing("LensSim", with: "").matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/)
        return words.contains { ["lens", "flow"].contains($0.0.lowercased()) }
    }

    @Test func `the app of the guide imports kits alone`() throws {
        let folder = "Tests/Programs/Notes/Sources"
        let kits: Set = [
            "AppHost", "AppKernel", "Concurrency", "PageKit", "PeerKit", "ScenarioKit", "ScreenKit",
            "ServiceClient",
        ]
        // The engine and the seams below them, and what their interfaces are made of.
        let below: Set = [
            "Foundation", "GRDB", "HTTPTypes", "LiveTransport", "Probes", "Services", "SimulatedTransport",
            "Simulation", "Synchronization", "Transport",
        ]
        let imports = try tree.imports(of: folder).subtracting(["Notes", "NotesWorld"])
        #expect(imports.isSuperset(of: kits))
        #expect(imports.subtracting(kits).subtracting(below) == [])
    }
}
