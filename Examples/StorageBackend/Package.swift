// swift-tools-version: 6.3
import PackageDescription

// An object store of one's own, and the tests that it passes: Documentation/StorageBackend.md.
let package = Package(
    name: "StorageBackend",
    products: [.library(name: "WebDAVStorage", targets: ["WebDAVStorage"])],
    dependencies: [
        .package(name: "LensSim", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "WebDAVStorage",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ObjectTransfer", package: "LensSim"),
                .product(name: "ServiceClient", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .executableTarget(
            name: "WebDAVConformance",
            dependencies: [
                "WebDAVStorage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ObjectStoreConformance", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .testTarget(
            name: "WebDAVStorageTests",
            dependencies: [
                "WebDAVStorage",
                .product(name: "FaultConformance", package: "LensSim"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ObjectStoreConformance", package: "LensSim"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "SimulationTesting", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
    ]
)
