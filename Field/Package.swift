// swift-tools-version: 6.3
import PackageDescription

// Workloads for public packages, which are checked out beside this file: see README.md.
// A package of its own, because LensSim needs none of them.

/// One public package: the modules that are compiled from its checkout, what these need, and the tests.
struct Entry {
    var name: String
    var modules: [Target]
    var dependencies: [Package.Dependency] = []
    /// Modules that the tests use beside those of the checkout.
    var testDependencies: [Target.Dependency] = []

    /// Compiles with the rules that the package's own manifest has.
    static func module(
        _ name: String,
        at path: String,
        sources: [String]? = nil,
        _ dependencies: [Target.Dependency] = [],
        mode: SwiftLanguageMode = .v5,
        settings: [SwiftSetting] = []
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Checkouts/\(path)",
            sources: sources,
            swiftSettings: [.swiftLanguageMode(mode)] + settings
        )
    }

    var tests: Target {
        .testTarget(
            name: "\(name)Field",
            dependencies: [.product(name: "SimulationTesting", package: "LensSim")]
                + modules.map { .target(name: $0.name) } + testDependencies,
            path: "Workloads/\(name)"
        )
    }
}

let entries: [Entry] = [
    Entry(name: "Semaphore", modules: [Entry.module("Semaphore", at: "Semaphore/Sources")]),
    Entry(
        name: "AsyncOperationQueue",
        modules: [
            // Two files of a large module, and a stand-in for a function that one of them imports and does not use.
            .target(name: "TSCBasic", path: "StandIns/TSCBasic"),
            Entry.module(
                "Basics",
                at: "swift-package-manager/Sources/Basics",
                sources: [
                    "Concurrency/ConcurrencyHelpers.swift", "Concurrency/ThreadSafeBox.swift", "Environment",
                ],
                ["TSCBasic"]
            ),
        ]
    ),
]

/// The packages that are checked out: one, as `Field/run` says it.
let chosen = entries.filter { $0.name == Context.environment["FIELD_PACKAGE"] }

let package = Package(
    name: "Field",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "LensSim", path: "..", traits: [])] + chosen.flatMap(\.dependencies),
    targets: chosen.flatMap { $0.modules + [$0.tests] }
)
