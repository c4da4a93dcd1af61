import Testing

@Suite("Layers of Lens")
struct LensLayerTests {
    @Test("LENS-212 an app imports protocols and values, never a backend, a simulator or the engine")
    func appsKnowProtocolsOnly() throws {
        let tree = try SourceTree()
        let values: Set = [
            "AppKernel", "Concurrency", "Files", "Services", "JPEG", "PNG", "QuickTime", "GRDB", "Foundation",
            "Synchronization",
        ]
        #expect(try tree.imports(of: "Sources/Apps/Lens/Lens").subtracting(values) == [])
        // Screens reach files, databases and devices through services alone: Foundation's files are not used either.
        let screens: Set = [
            "AppKernel", "Concurrency", "Files", "ScreenKit", "Services", "Foundation", "Lens",
        ]
        #expect(try tree.imports(of: "Sources/Apps/Lens/LensScreens").subtracting(screens) == [])
        // The page is a server of screens, and knows no host, backend or simulator either.
        let page = screens.union(["LensScreens", "PageKit", "Transport", "HTTPTypes", "Synchronization"])
        #expect(try tree.imports(of: "Sources/Apps/Lens/LensPage").subtracting(page) == [])
        for file in tree.files where file.path.hasPrefix("Sources/Apps/Lens/LensScreens/") {
            for name in ["FileFolder", "AppDatabase"] {
                #expect(!file.text.contains(name), "\(file.path) uses \(name)")
            }
        }
    }
}
