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

    /// The apps by the names of their folders, each with its targets: what lies below `Sources/Apps`, in a folder of its own or beside others whose names
    /// begin with the app's.
    var apps: [String: [Target]] {
        let all = targets.filter { $0.folder.hasPrefix("Sources/Apps/") }
        return Dictionary(grouping: all) { target in
            let folder = String(target.folder.split(separator: "/")[2])
            // Lens, LensScreens and LensPage lie beside each other.
            return all.map(\.name).filter { folder.hasPrefix($0) }.min { $0.count < $1.count } ?? folder
        }
    }
}
