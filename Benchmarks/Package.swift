// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the main one never resolves what only measuring needs.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // SE-0458: unsafe code says so at its use.
    .strictMemorySafety(),
    // SE-0335: `any` before every existential.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: members are visible only through a direct import.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: imports are internal unless said otherwise.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // SE-0461: nonisolated async functions run on the caller's actor.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // SE-0470: conformances of isolated types are isolated.
    .enableUpcomingFeature("InferIsolatedConformances"),
    // SE-0481: weak references captured as `let`.
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "LensSim") }

let package = Package(
    name: "Benchmarks",
    dependencies: [
        // What is measured.
        .package(name: "LensSim", path: ".."),
        // Requests as values, for the streaming benchmark.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // The database that an effect of a queue records in.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // What a program in C would do.
        .target(name: "CYUYVLoop", linkerSettings: [.linkedLibrary("turbojpeg")]),
        .target(name: "COutboxLoop", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                product("Simulation"), product("Exploration"), product("Probes"), product("Transport"),
                product("Services"),
                product("Lens"), product("PageKit"), product("AppKernel"),
                product("SessionRecording"), product("ScenarioKit"), product("JPEG"), product("CTurboJPEG"),
                product("CV4L2"), product("VeepaCamera"), product("VeepaCameraSimulator"), "CYUYVLoop",
                "COutboxLoop",
                product("FakeCamera"), product("GeminiServer"), product("EchoServer"), product("PeerKit"),
                product("S3Server"), product("S3Storage"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"), product("Concurrency"),
            ],
            swiftSettings: settings
        ),
    ]
)
