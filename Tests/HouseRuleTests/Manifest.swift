import Foundation

/// The targets of `Package.swift`, as the rules read them: name, kind, folder.
struct Manifest {
    struct Target: Hashable {
        /// The name of a case of `Kind`.
        var kind: String
        var name: String
        var folder: String
    }

    let targets: [Target]

    /// Reads the manifest's own words: `case backend = "Sources/Backends"`, and `.of(.backend, "GeminiLive"`.
    init(_ text: String) {
        var folders: [String: String] = [:]
        for match in text.matches(of: /case (\w+) = "([^"]+)"/) { folders["\(match.1)"] = "\(match.2)" }
        targets = text.matches(of: /\.of\(\s*\.(\w+),\s*"(\w+)"/).compactMap { match in
            folders["\(match.1)"].map { folder in
                let path = folder.hasPrefix("./") ? String(folder.dropFirst(2)) : folder
                return Target(kind: "\(match.1)", name: "\(match.2)", folder: "\(path)/\(match.2)")
            }
        }
    }

    /// Those of some kinds.
    func targets(_ kinds: String...) -> [Target] { targets.filter { kinds.contains($0.kind) } }

    /// The apps by the names of their folders below `Sources/Apps`, each with its targets.
    var apps: [String: [Target]] {
        Dictionary(grouping: targets.filter { $0.folder.hasPrefix("Sources/Apps/") }) { target in
            String(target.folder.split(separator: "/")[2])
        }
    }
}
