import Files
public import Services

extension FileObjectStore {
    /// Walks the folders, whose order is that of keys; those before the page are not entered.
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        let call = FileCall("list", ObjectKey(prefix))
        guard (1...1000).contains(limit) else {
            throw call.error(.invalidRequest, "a page has 1 to 1000 objects, not \(limit)")
        }
        var walk = ObjectWalk(files: files, root: paths.root, prefix: prefix, after: token ?? "")
        // One more tells whether there is another page.
        walk.collect(limit + 1)
        var objects: [ListedObject] = []
        for key in walk.found.prefix(limit) {
            guard !Task.isCancelled else { throw call.error(.cancelled, "after \(objects.count) objects") }
            // What was removed meanwhile is left out.
            guard let info = try await info(key) else { continue }
            objects.append(ListedObject(key: key, size: info.size, entityTag: info.entityTag))
        }
        return ObjectPage(objects: objects, next: walk.found.count > limit ? walk.found[limit - 1].path : nil)
    }
}

/// Finds keys in their order.
private struct ObjectWalk {
    let files: any FileSystem
    let root: String
    let prefix: String
    /// Only keys behind it are wanted.
    let after: String
    private(set) var found: [ObjectKey] = []

    init(files: any FileSystem, root: String, prefix: String, after: String) {
        (self.files, self.root, self.prefix, self.after) = (files, root, prefix, after)
    }

    mutating func collect(_ limit: Int) { collect(in: root, "", limit) }

    private mutating func collect(in folder: String, _ path: String, _ limit: Int) {
        var entries: [(key: String, name: String, isFolder: Bool)] = []
        for name in files.names(in: folder) where !name.hasPrefix(".") {
            let isFolder = name.hasSuffix(".d")
            guard let segment = ObjectPaths.segment(of: isFolder ? String(name.dropLast(2)) : name) else {
                continue
            }
            entries.append((path + segment + (isFolder ? "/" : ""), name, isFolder))
        }
        entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for entry in entries where found.count < limit {
            if entry.isFolder {
                let mayHave =
                    entry.key.utf8.starts(with: prefix.utf8) || prefix.utf8.starts(with: entry.key.utf8)
                let isBefore =
                    !after.utf8.starts(with: entry.key.utf8)
                    && entry.key.utf8.lexicographicallyPrecedes(after.utf8)
                if mayHave, !isBefore { collect(in: "\(folder)/\(entry.name)", entry.key, limit) }
            } else if entry.key.utf8.starts(with: prefix.utf8),
                after.isEmpty || after.utf8.lexicographicallyPrecedes(entry.key.utf8)
            {
                found.append(ObjectKey(entry.key))
            }
        }
    }
}
