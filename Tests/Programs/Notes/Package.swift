// swift-tools-version: 6.3
import PackageDescription

/// The language that the sources are written in.
let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

/// Products of LensSim.
func kits(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "LensSim") } }

let http = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

// An app, its page, its service and its world: Documentation/WriteAnApp.md.
let package = Package(
    name: "Notes",
    products: [.executable(name: "notes", targets: ["NotesProgram"])],
    dependencies: [
        .package(name: "LensSim", path: "../../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "Notes",
            dependencies: kits(
                "AppKernel",
                "Concurrency",
                "PageKit",
                "ScreenKit",
                "ServiceClient",
                "Services",
                "Transport"
            ) + [database],
            resources: ["page.html", "main.js", "icon.svg"].map { .embedInCode("Page/\($0)") },
            swiftSettings: settings
        ),
        .target(
            name: "NotesWorld",
            dependencies: ["Notes"]
                + kits("AppKernel", "PeerKit", "Probes", "ScenarioKit", "Simulation", "Transport") + [http],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "NotesProgram",
            dependencies: ["Notes", "NotesWorld"]
                + kits("AppHost", "AppKernel", "PageKit", "PeerKit", "Transport"),
            swiftSettings: settings
        ),
        .testTarget(
            name: "NotesTests",
            dependencies: ["Notes", "NotesWorld"]
                + kits("Exploration", "ScenarioKit", "ScreenKit", "Simulation", "SimulationTesting"),
            swiftSettings: settings
        ),
    ]
)
