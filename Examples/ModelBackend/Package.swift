// swift-tools-version: 6.3
import PackageDescription

// A chat model of one's own, and the tests that it passes: Documentation/ModelBackend.md.
let package = Package(
    name: "ModelBackend",
    products: [.library(name: "CompletionsModel", targets: ["CompletionsModel"])],
    dependencies: [
        .package(name: "LensSim", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "CompletionsModel",
            dependencies: [
                .product(name: "Concurrency", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .executableTarget(
            name: "CompletionsConformance",
            dependencies: [
                "CompletionsModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ChatModelConformance", package: "LensSim"),
                .product(name: "Concurrency", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .testTarget(
            name: "CompletionsModelTests",
            dependencies: [
                "CompletionsModel",
                .product(name: "Concurrency", package: "LensSim"),
                .product(name: "ChatModelConformance", package: "LensSim"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Lens", package: "LensSim"),
                .product(name: "LiveModelConformance", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "SimulationTesting", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
    ]
)
