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
        exclude: [String] = [],
        _ dependencies: [Target.Dependency] = [],
        mode: SwiftLanguageMode = .v5,
        settings: [SwiftSetting] = []
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Checkouts/\(path)",
            exclude: exclude,
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

let collections = Package.Dependency.package(
    url: "https://github.com/apple/swift-collections.git",
    from: "1.0.4"
)
let atomics = Package.Dependency.package(url: "https://github.com/apple/swift-atomics.git", from: "1.2.0")

let asyncAlgorithms = Entry.module(
    "AsyncAlgorithms",
    at: "swift-async-algorithms/Sources/AsyncAlgorithms",
    [
        .product(name: "Collections", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "DequeModule", package: "swift-collections"),
    ],
    settings: [
        .enableExperimentalFeature("AvailabilityMacro=AsyncAlgorithms 1.0:macOS 10.15"),
        .enableExperimentalFeature("AvailabilityMacro=AsyncAlgorithms 1.1:macOS 15.0"),
        .enableExperimentalFeature("AvailabilityMacro=AsyncAlgorithms 1.2:macOS 15.0"),
    ]
)

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
    Entry(
        name: "ConnectionPool",
        modules: [
            Entry.module(
                "_ConnectionPoolModule",
                at: "postgres-nio/Sources/ConnectionPoolModule",
                [
                    .product(name: "Atomics", package: "swift-atomics"),
                    .product(name: "DequeModule", package: "swift-collections"),
                ],
                mode: .v6,
                settings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
            )
        ],
        dependencies: [atomics, collections]
    ),
    Entry(
        name: "AsyncShare",
        modules: [asyncAlgorithms],
        dependencies: [collections]
    ),
    Entry(
        name: "AsyncZip",
        modules: [asyncAlgorithms],
        dependencies: [collections]
    ),
    Entry(
        name: "AsyncChannel",
        modules: [asyncAlgorithms],
        dependencies: [collections]
    ),
    Entry(
        name: "Afluent",
        modules: [
            Entry.module(
                "Afluent",
                at: "Afluent/Sources/Afluent",
                // Not for Linux.
                exclude: ["Additions/URLSessionAdditions.swift"],
                [.product(name: "Atomics", package: "swift-atomics")]
            )
        ],
        dependencies: [atomics]
    ),
    Entry(
        name: "Clocks",
        modules: [
            Entry.module("ConcurrencyExtras", at: "swift-concurrency-extras/Sources/ConcurrencyExtras"),
            Entry.module(
                "Clocks",
                at: "swift-clocks/Sources/Clocks",
                [
                    "ConcurrencyExtras",
                    .product(name: "XCTestDynamicOverlay", package: "xctest-dynamic-overlay"),
                ]
            ),
        ],
        dependencies: [.package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.0.0")]
    ),
    Entry(
        name: "AsyncExtensions",
        modules: [
            Entry.module(
                "AsyncExtensions",
                at: "AsyncExtensions/Sources",
                // The rest does not compile with a language that has typed throws.
                sources: ["Operators/AsyncSwitchToLatestSequence.swift", "Supporting"],
                [.product(name: "Collections", package: "swift-collections")]
            )
        ],
        dependencies: [collections]
    ),
    Entry(
        name: "AsyncObjects",
        modules: [
            Entry.module(
                "AsyncObjects",
                at: "AsyncObjects/Sources/AsyncObjects",
                [.product(name: "OrderedCollections", package: "swift-collections")]
            )
        ],
        dependencies: [collections]
    ),
    Entry(
        name: "ServiceLifecycle",
        modules: [
            Entry.module("ConcurrencyHelpers", at: "swift-service-lifecycle/Sources/ConcurrencyHelpers"),
            Entry.module(
                "UnixSignals",
                at: "swift-service-lifecycle/Sources/UnixSignals",
                ["ConcurrencyHelpers"]
            ),
            Entry.module(
                "ServiceLifecycle",
                at: "swift-service-lifecycle/Sources/ServiceLifecycle",
                [
                    "ConcurrencyHelpers", "UnixSignals", .product(name: "Logging", package: "swift-log"),
                    .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                ]
            ),
        ],
        dependencies: [
            .package(url: "https://github.com/apple/swift-log.git", from: "1.5.2"),
            .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.0"),
        ],
        testDependencies: [.product(name: "Logging", package: "swift-log")]
    ),
    Entry(
        name: "Asynchrone",
        modules: [Entry.module("Asynchrone", at: "Asynchrone/Asynchrone/Source")]
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
