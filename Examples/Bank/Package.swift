// swift-tools-version: 6.3
import PackageDescription

// A package that knows nothing of LensSim but the trait of its tests.
let package = Package(
    name: "Bank",
    products: [.library(name: "Bank", targets: ["Bank"])],
    dependencies: [
        // Without traits it is the engine alone, which fetches nothing else.
        .package(name: "LensSim", path: "../..", traits: [])
    ],
    targets: [
        .target(name: "Bank"),
        .testTarget(
            name: "BankTests",
            dependencies: ["Bank", .product(name: "SimulationTesting", package: "LensSim")]
        ),
    ]
)
