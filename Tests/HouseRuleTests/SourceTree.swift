import Foundation
import Glibc

/// The package's own text, as the rules read it.
struct SourceTree {
    struct File {
        var path: String
        var text: String
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        /// Whether a text stands in the file, byte for byte: whether its lines deserve a look, which takes much longer.
        func has(_ text: String) -> Bool { self.text.hasBytes(of: text) }
    }

    let root: URL
    /// Swift and C.
    let files: [File]
    /// The packages of the guides to backends, which are compiled here as well.
    let examples: [File]
    /// What is written in other languages.
    let scripts: [File]
    /// The documentation of the package.
    let documents: [File]
    let manifest: String

    private static let exampleFolders = [
        "ModelBackend", "CameraBackend", "StorageBackend", "DiscoveryBackend",
    ].map {
        "Examples/\($0)"
    }
    private static let top = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Whether an app is in the package, from which each can be taken out: `scripts/without-app`.
    static func hasApp(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: top.appending(path: "Sources/Apps/\(name)").path)
    }

    /// The names of the folders in one, in order.
    func folders(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    init() throws {
        root = Self.top
        manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        files = try Self.read(["Sources", "Simulators", "Tests"], endings: [".swift", ".c", ".h"], in: root)
        let top = root
        examples = try Self.exampleFolders.flatMap { example in
            let manifest = try String(
                contentsOf: top.appending(path: "\(example)/Package.swift"),
                encoding: .utf8
            )
            return try Self.read(["\(example)/Sources", "\(example)/Tests"], endings: [".swift"], in: top)
                + [File(path: "\(example)/Package.swift", text: manifest)]
        }
        scripts = try Self.read(
            ["Sources", "Simulators", "Tests", "Fixtures", "deploy"],
            endings: [".js", ".css", ".html", ".py", ".sh", ".yaml", ".md"],
            in: root
        )
        documents =
            try Self.read(["Documentation"], endings: [".md"], in: root)
            + ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"].map { name in
                let text = try String(contentsOf: top.appending(path: name), encoding: .utf8)
                return File(path: name, text: text)
            }
    }

    private static func read(_ folders: [String], endings: [String], in root: URL) throws -> [File] {
        try folders.flatMap { folder in
            let top = root.appending(path: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: top.path)
                .filter { name in endings.contains { name.hasSuffix($0) } && !Self.isMade(name) }
                .map { name in
                    let text = try String(contentsOf: top.appending(path: name), encoding: .utf8)
                    return File(path: "\(folder)/\(name)", text: text)
                }
        }
    }

    /// Whether a file was written by a build or by a failing test.
    private static func isMade(_ path: String) -> Bool {
        path.split(separator: "/").contains { $0 == ".build" || $0 == ".lenssim" }
    }

    /// The modules that the files of a folder import.
    ///
    /// - Throws: ``NothingThere`` where there is no such file: a rule about nothing would always hold.
    func imports(of folder: String) throws -> Set<String> {
        let found = files.filter { $0.path.hasPrefix(folder + "/") }
        guard !found.isEmpty else { throw NothingThere(place: folder) }
        return found.reduce(into: []) { all, file in all.formUnion(Self.imports(in: file.text)) }
    }

    /// A rule is about files that do not exist.
    struct NothingThere: Error { var place: String }

    static func imports(in text: String) -> Set<String> {
        Set(
            text.matches(
                of: /(?m)^(?:@\S+ )*(?:public |internal |package )?import (?:struct |class |enum )?(\w+)/
            )
            .map { String($0.1) }
        )
    }
}

extension String {
    /// Whether another text is in this one, byte for byte.
    ///
    /// `contains` looks at characters, which in a debug build takes seconds for all that the package says.
    func hasBytes(of text: String) -> Bool {
        unsafe withCString { whole in unsafe text.withCString { part in unsafe strstr(whole, part) != nil } }
    }
}
