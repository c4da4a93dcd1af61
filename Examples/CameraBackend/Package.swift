// swift-tools-version: 6.3
import PackageDescription

// A camera of one's own, and the tests that it passes: Documentation/CameraBackend.md.
let package = Package(
    name: "CameraBackend",
    products: [.library(name: "StreamCamera", targets: ["StreamCamera"])],
    dependencies: [
        .package(name: "LensSim", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "StreamCamera",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
        .testTarget(
            name: "StreamCameraTests",
            dependencies: [
                "StreamCamera",
                .product(name: "CameraSourceConformance", package: "LensSim"),
                .product(name: "FakeCamera", package: "LensSim"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Services", package: "LensSim"),
                .product(name: "SimulationTesting", package: "LensSim"),
                .product(name: "Transport", package: "LensSim"),
            ]
        ),
    ]
)
