import Foundation

/// The package's own text, as the rules read it.
struct SourceTree {
    struct File {
        var path: String
        var text: String
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    let root: URL
    let files: [File]
    let manifest: String

    init() throws {
        root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        var files: [File] = []
        for folder in ["Sources", "Simulators", "Tests"] {
            let top = root.appending(path: folder)
            for name in try FileManager.default.subpathsOfDirectory(atPath: top.path)
            where name.hasSuffix(".swift") || name.hasSuffix(".c") || name.hasSuffix(".h") {
                let url = top.appending(path: name)
                files.append(
                    File(path: "\(folder)/\(name)", text: try String(contentsOf: url, encoding: .utf8))
                )
            }
        }
        self.files = files
    }

    /// The modules that the files of a folder import.
    func imports(of folder: String) -> Set<String> {
        files.filter { $0.path.hasPrefix(folder + "/") }.reduce(into: []) { all, file in
            all.formUnion(Self.imports(in: file.text))
        }
    }

    static func imports(in text: String) -> Set<String> {
        Set(
            text.matches(
                of: /(?m)^(?:@\S+ )*(?:public |internal |package )?import (?:struct |class |enum )?(\w+)/
            )
            .map { String($0.1) }
        )
    }
}
