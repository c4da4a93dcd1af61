import Foundation
import Testing

/// Which layer may know which: ARCHITECTURE.md draws it, the manifest has the targets, and these tests read their imports.
@Suite("Layers")
struct LayerTests {
    private let tree: SourceTree
    private let manifest: Manifest

    private static let shared = Result { try SourceTree() }

    init() throws {
        tree = try Self.shared.get()
        manifest = Manifest(tree.manifest)
    }

    private func imports(of targets: [Manifest.Target]) throws -> [(
        target: Manifest.Target, modules: Set<String>
    )] {
        try #require(!targets.isEmpty, "a rule about nothing would always hold")
        return try targets.map { ($0, try tree.imports(of: $0.folder)) }
    }

    private func names(_ kinds: String...) throws -> Set<String> {
        let found = manifest.targets.filter { kinds.contains($0.kind) }.map(\.name)
        try #require(!found.isEmpty, "a rule about nothing would always hold")
        return Set(found)
    }

    @Test func `the manifest is read whole`() throws {
        #expect(manifest.targets.count > 90)
        let apps = try tree.folders(in: "Sources/Apps")
        #expect(manifest.apps.keys.sorted() == apps)
        for app in apps {
            let targets = try tree.folders(in: "Sources/Apps/\(app)")
            #expect(manifest.apps[app]?.map(\.name).sorted() == targets, "\(app)")
        }
        for target in manifest.targets where !target.folder.hasPrefix("Examples/") {
            let path = tree.root.path + "/" + target.folder
            #expect(FileManager.default.fileExists(atPath: path), "\(target.name)")
        }
    }

    @Test func `no app uses the platform but through services`() throws {
        let platform = [
            "FileManager", "FileHandle", "Process(", "ProcessInfo", "URLSession", "UserDefaults",
            "SystemFiles", "Data(contentsOf", "String(contentsOf", "contentsOfFile", "write(to",
        ]
        for target in manifest.apps.values.joined() where !Self.isRoot(target) {
            for file in tree.files where file.path.hasPrefix(target.folder + "/") {
                for name in platform { #expect(!file.text.contains(name), "\(file.path) uses \(name)") }
            }
        }
    }

    @Test func `no app knows a backend, a simulator, the engine or another app`() throws {
        let below = try names("backend", "simulator").union(try engine())
        for (app, targets) in manifest.apps {
            let others = Set(manifest.apps.filter { $0.key != app }.values.joined().map(\.name))
            for (target, modules) in try imports(of: targets) {
                #expect(modules.isDisjoint(with: others), "\(target.name)")
                guard !Self.isRoot(target) else { continue }
                #expect(modules.isDisjoint(with: below), "\(target.name)")
            }
        }
    }

    @Test func `what apps stand on knows no app`() throws {
        let apps = Set(manifest.apps.values.joined().map(\.name))
        for (target, modules) in try imports(
            of: manifest.targets(
                "base",
                "kernel",
                "network",
                "service",
                "media",
                "backend",
                "engine",
                "simulator"
            )
        ) {
            #expect(modules.isDisjoint(with: apps), "\(target.name)")
        }
        for folder in [
            "Sources/Scenarios/ScenarioKit", "Sources/Scenarios/SessionRecording",
            "Sources/Scenarios/AppHost", "Sources/Scenarios/CommandKit",
            "Tests/ScenarioKitTests",
        ] {
            #expect(try tree.imports(of: folder).isDisjoint(with: apps), "\(folder)")
        }
    }

    @Test func `the command line names the apps in one file`() throws {
        let apps = Set(manifest.apps.values.joined().map(\.name))
        let naming = tree.files.filter { file in
            file.path.hasPrefix("Sources/Tools/") && !SourceTree.imports(in: file.text).isDisjoint(with: apps)
        }
        #expect(naming.map(\.path) == ["Sources/Tools/lenssim/Apps.swift"])
    }

    @Test func `nothing depends on what lies beside the tests but tests and the programs that they run`()
        throws
    {
        let (beside, others) = (
            manifest.targets.filter { $0.folder.hasPrefix("Tests/") },
            manifest.targets.filter { !$0.folder.hasPrefix("Tests/") && !$0.folder.hasPrefix("Examples/") }
        )
        for (target, modules) in try imports(of: others) {
            #expect(modules.isDisjoint(with: beside.map(\.name)), "\(target.name)")
        }
    }

    @Test func `a backend and its simulator never import each other`() throws {
        let (backends, simulators) = (try names("backend"), try names("simulator"))
        for (target, modules) in try imports(of: manifest.targets("backend")) {
            #expect(modules.isDisjoint(with: simulators), "\(target.name)")
        }
        for (target, modules) in try imports(of: manifest.targets("simulator")) {
            #expect(modules.isDisjoint(with: backends), "\(target.name)")
        }
    }

    @Test
    func `a backend links no database: it knows values that change and files, and not the kernel of apps`()
        throws
    {
        let kernel = try names("kernel").union(["GRDB"])
        for (target, modules) in try imports(
            of: manifest.targets("backend", "base", "network", "service", "media")
        ) {
            #expect(modules.isDisjoint(with: kernel), "\(target.name)")
        }
    }

    @Test func `the protocols of services speak no vendor's words, and name no backend`() throws {
        let backends = try names("backend")
        let files = (tree.files + tree.scripts).filter { $0.path.hasPrefix("Sources/Services/Services/") }
        #expect(files.count > 40 && files.contains { $0.path.hasSuffix(".md") })
        for file in files {
            let found = VendorWords.all(in: file.text) + backends.filter(file.text.contains)
            #expect(found.isEmpty, "\(file.path): \(found)")
        }
        #expect(
            VendorWords.all(in: #"case off = "BLOCK_NONE" // Gemini's"#) == [#"= "BLOCK_NONE""#, "Gemini"]
        )
        #expect(VendorWords.all(in: #"case off = "off", of ["a": "A_KEY"]"#) == [])
    }

    @Test func `no product code imports the engine, but for the probes`() throws {
        let engine = try engine()
        // Simulated networks are made of it.
        let simulated: Set = ["SimulatedTransport"]
        let product = manifest.targets("base", "kernel", "service", "network", "backend", "media")
            .filter { !simulated.contains($0.name) }
        for (target, modules) in try imports(of: product) {
            #expect(modules.isDisjoint(with: engine), "\(target.name)")
        }
    }

    @Test func `the engine knows nothing above it`() throws {
        let allowed: Set = ["CSimulation", "Synchronization", "Glibc", "Runtime", "_Concurrency"]
        #expect(try tree.imports(of: "Sources/Engine/Simulation").subtracting(allowed) == [])
    }

    @Test func `protocols and values import no implementation`() throws {
        let allowed: Set = ["HTTPTypes", "Synchronization"]
        // Files that are sent, and the wall clock, are the system's.
        let system: Set = ["Glibc", "Darwin"]
        #expect(
            try tree.imports(of: "Sources/Network/Transport").subtracting(allowed).subtracting(system) == []
        )
        #expect(try tree.imports(of: "Sources/Services/Services").subtracting(allowed) == [])
        #expect(try tree.imports(of: "Sources/Concurrency").subtracting(allowed) == [])
    }

    /// The modules of the engine, but for the probes.
    private func engine() throws -> Set<String> {
        try names("engine").subtracting(["Probes"]).union(["CSimulation", "CSimulatedDisk"])
    }

    /// Whether a target of an app puts things together: its worlds, its program and its commands.
    private static func isRoot(_ target: Manifest.Target) -> Bool {
        ["Scenarios", "Program", "Commands"].contains { target.name.hasSuffix($0) }
    }
}
