// swift-tools-version: 6.3
import PackageDescription

// A browser of services of one's own, and the tests that it passes: Documentation/DiscoveryBackend.md.
let package = Package(
    name: "DiscoveryBackend",
    products: [.library(name: "EtcdDiscovery", targets: ["EtcdDiscovery"])],
    dependencies: [
        .package(name: "LensSim", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "EtcdDiscovery",
            dependencies: [
                .product(name: "Concurrency", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .target(
            name: "EtcdTrials",
            dependencies: [
                "EtcdDiscovery",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceBrowserConformance", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .executableTarget(
            name: "EtcdConformance",
            dependencies: [
                "EtcdTrials",
                .product(name: "ServiceBrowserConformance", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .testTarget(
            name: "EtcdDiscoveryTests",
            dependencies: [
                "EtcdDiscovery", "EtcdTrials",
                .product(name: "Concurrency", package: "LensSim"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceBrowserConformance", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "SimulationTesting", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
    ]
)
