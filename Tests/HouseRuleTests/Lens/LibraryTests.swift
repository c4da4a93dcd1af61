import Foundation
import Testing

@Suite("Libraries that the program names")
struct LibraryTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            var identity: String
        }
        var pins: [Pin]
    }

    @Test func `every package is named with its licence, as its sources have it`() throws {
        let tree = try SourceTree()
        let path = "Sources/Apps/Lens/Lens/Launch/AboutLens+Libraries.swift"
        let list = tree.files.first { $0.path == path }?.text ?? ""
        let named = Dictionary(
            uniqueKeysWithValues: list.matches(of: /Library\("([^"]+)", "([^"]+)"\)/).map {
                (String($0.1), String($0.2))
            }
        )
        let pins = try JSONDecoder().decode(
            Resolved.self,
            from: Data(contentsOf: tree.root.appending(path: "Package.resolved"))
        ).pins.map(\.identity)
        #expect(pins.count > 20)
        let ofSystem: Set = [
            "Swift runtime and Foundation", "SQLite", "libjpeg-turbo", "libpng", "libqrencode", "ZBar",
        ]
        #expect(Set(named.keys.map { $0.lowercased() }) == Set(pins + ofSystem.map { $0.lowercased() }))
        let checkouts = tree.root.appending(path: ".build/checkouts")
        for (name, licence) in named where !ofSystem.contains(name) {
            let folder = checkouts.appending(path: name)
            guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
                // A package that nothing here needs is resolved, and not fetched.
                continue
            }
            let file = try #require(files.first { $0.hasPrefix("LICENSE") }, "\(name)")
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            switch licence {
            case "Apache-2.0": #expect(text.contains("Apache License"), "\(name)")
            case "MIT": #expect(text.contains("Permission is hereby granted, free of charge"), "\(name)")
            default: Issue.record("\(name) has an unexpected licence, \(licence)")
            }
        }
    }
}
