import ObjectTransfer
public import Services

extension WebDAVObjectStore {
    /// Walks the folders, whose order is that of keys: one request for each folder that may have something of the page.
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        let call = try prepareAny("list", ObjectKey(prefix))
        guard (1...1000).contains(limit) else {
            throw call.error(.invalidRequest, "a page has 1 to 1000 objects, not \(limit)")
        }
        var walk = FolderWalk(call: call, prefix: prefix, after: token ?? "")
        // One more tells whether there is another page.
        try await walk.collect("", "", limit + 1)
        let objects = Array(walk.found.prefix(limit))
        return ObjectPage(objects: objects, next: walk.found.count > limit ? objects.last?.key.path : nil)
    }
}

/// Finds objects in the order of their keys.
private struct FolderWalk {
    let call: WebDAVCall
    let prefix: String
    /// Only keys behind it are wanted.
    let after: String
    private(set) var found: [ListedObject] = []

    init(call: WebDAVCall, prefix: String, after: String) {
        (self.call, self.prefix, self.after) = (call, prefix, after)
    }

    /// Looks into a folder.
    ///
    /// - Parameters:
    ///   - folder: Its path on the server.
    ///   - start: What the keys in it begin with.
    ///   - limit: How many objects are wanted.
    mutating func collect(_ folder: String, _ start: String, _ limit: Int) async throws(ObjectStoreError) {
        let entries = try await call.entries(of: folder)
            .compactMap { entry -> (key: String, entry: FolderList.Entry)? in
                guard let segment = ServerPath.segment(of: entry.name, isFolder: entry.isFolder),
                    StoreText.isKey(start + segment)
                else { return nil }
                return (start + segment + (entry.isFolder ? "/" : ""), entry)
            }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, entry) in entries where found.count < limit {
            if entry.isFolder {
                guard mayHaveMore(key) else { continue }
                try await collect(folder + (folder.isEmpty ? "" : "/") + entry.name, key, limit)
            } else if key.utf8.starts(with: prefix.utf8), after.utf8.lexicographicallyPrecedes(key.utf8) {
                let tag = StoreText.entityTag(entry.tag)
                found.append(ListedObject(key: ObjectKey(key), size: entry.size, entityTag: tag))
            }
        }
    }

    /// Whether a folder may have keys with the prefix, and some behind those that were returned.
    private func mayHaveMore(_ folder: String) -> Bool {
        let isOnTheWay = folder.utf8.starts(with: prefix.utf8) || prefix.utf8.starts(with: folder.utf8)
        return isOnTheWay
            && (after.utf8.starts(with: folder.utf8) || !folder.utf8.lexicographicallyPrecedes(after.utf8))
    }
}
