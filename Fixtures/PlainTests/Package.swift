// swift-tools-version: 6.2
import PackageDescription

// A package that knows nothing of LensSim at all.
let package = Package(
    name: "PlainTests",
    targets: [
        .target(name: "Till"),
        .testTarget(name: "TillTests", dependencies: ["Till"]),
    ]
)
