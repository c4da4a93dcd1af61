import Foundation
import Testing

@Suite("What the build takes from the system")
struct SystemPackageTests {
    /// Which of Debian's packages has the headers of a library, as `dpkg -S` names it; none where the toolchain itself needs the library.
    private static let packages: [String: String?] = [
        "sqlite3": "libsqlite3-dev", "turbojpeg": "libturbojpeg0-dev", "png16": "libpng-dev",
        "zbar": "libzbar-dev", "qrencode": "libqrencode-dev", "dl": nil,
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The libraries that the manifest and its module maps link.
    private func linked() throws -> Set<String> {
        let sources = Self.root.appending(path: "Sources")
        let maps = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.hasSuffix("module.modulemap") }
            .map { try text("Sources/\($0)") }
        let inMaps = maps.flatMap { $0.matches(of: /(?m)^ *link "([^"]+)"/).map { String($0.1) } }
        let inManifest = try text("Package.swift").matches(of: /linkedLibrary\("([^"]+)"/).map {
            String($0.1)
        }
        return Set(inMaps + inManifest)
    }

    @Test func `the set-up installs the package of each library that is linked, and no other`() throws {
        let linked = try linked()
        #expect(linked == Set(Self.packages.keys))
        let installed = try text("scripts/setup").matches(of: /(?m)^need ([a-z0-9.+-]+)$/).map {
            String($0.1)
        }
        // pkg-config is what the manifest of GRDB asks for the place of SQLite.
        let needed = linked.compactMap { Self.packages[$0] ?? nil } + ["pkg-config"]
        #expect(installed.sorted() == needed.sorted())
    }

    @Test func `the top level has the manifest and the folders of sources, tests, fixtures and simulators`()
        throws
    {
        #expect(try !text("Package.swift").isEmpty)
        for folder in ["Sources", "Tests", "Fixtures", "Simulators"] {
            let path = Self.root.appending(path: folder).path
            let inside = try? FileManager.default.contentsOfDirectory(atPath: path)
            #expect(inside?.isEmpty == false, "\(folder)")
        }
    }
}
