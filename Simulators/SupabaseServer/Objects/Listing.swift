/// What a listing shows of a bucket.
enum Listing {
    /// One line: an object, or a folder that stands for all objects below it.
    enum Line: Sendable {
        case folder(String)
        case object(String, StoredObject.Row)

        var name: String {
            switch self {
            case .folder(let name), .object(let name, _): name
            }
        }
    }

    /// One level under a prefix: folders by name, then objects.
    ///
    /// - Parameter search: What names must begin with, in any letter case.
    static func level(
        of objects: [StoredObject],
        under prefix: String,
        search: String
    ) -> (folders: [String], objects: [(name: String, row: StoredObject.Row)]) {
        let folder = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
        let wanted = (folder + search).lowercased()
        var folders: [String] = []
        var files: [(name: String, row: StoredObject.Row)] = []
        for object in objects where object.row.name.key.lowercased().hasPrefix(wanted) {
            let rest = object.row.name.key.dropFirst(folder.count)
            let name = rest.prefix { $0 != "/" }
            if name.count == rest.count {
                files.append((String(name), object.row))
            } else if folders.last != String(name) {
                folders.append(String(name))
            }
        }
        var seen: Set<String> = []
        return (folders.filter { seen.insert($0).inserted }, files)
    }

    /// All keys under a prefix in order; with a delimiter, what lies deeper is one folder.
    static func flat(of objects: [StoredObject], under prefix: String, folded: Bool) -> [Line] {
        var lines: [Line] = []
        var seen: Set<String> = []
        for object in objects where object.row.name.key.hasPrefix(prefix) {
            let key = object.row.name.key
            let rest = key.dropFirst(prefix.count)
            guard folded, let slash = rest.firstIndex(of: "/") else {
                lines.append(.object(key, object.row))
                continue
            }
            let folder = prefix + rest[...slash]
            if seen.insert(folder).inserted { lines.append(.folder(folder)) }
        }
        return lines.sorted { StorageState.precedes($0.name, $1.name) }
    }
}
