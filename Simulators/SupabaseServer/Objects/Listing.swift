import PeerKit

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
    /// - Parameters:
    ///   - search: What names must begin with, in any letter case.
    ///   - isVisible: Whether a row may be seen.
    static func level(
        of objects: KeyMap<StoredObject>,
        under prefix: String,
        search: String,
        where isVisible: (StoredObject.Row) -> Bool
    ) -> (folders: [String], objects: [(name: String, row: StoredObject.Row)]) {
        let folder = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
        let wanted = (folder + search).lowercased()
        var folders: [String] = []
        var files: [(name: String, row: StoredObject.Row)] = []
        objects.forEach { key, object in
            guard key.lowercased().hasPrefix(wanted), isVisible(object.row) else { return true }
            let rest = key.dropFirst(folder.count)
            let name = rest.prefix { $0 != "/" }
            if name.count == rest.count {
                files.append((String(name), object.row))
            } else if folders.last != String(name) {
                folders.append(String(name))
            }
            return true
        }
        var seen: Set<String> = []
        return (folders.filter { seen.insert($0).inserted }, files)
    }

    /// The lines under a prefix in another order than that of names.
    ///
    /// All that is under the prefix is looked at. A folder stands where the first of its objects does.
    ///
    /// - Parameters:
    ///   - cursor: After which place it begins.
    ///   - count: The most lines wanted.
    ///   - isVisible: Whether a row may be seen.
    static func ordered(
        by order: ListOrder,
        of objects: KeyMap<StoredObject>,
        under prefix: String,
        folded: Bool,
        after cursor: ListOrder.Place?,
        atMost count: Int,
        where isVisible: (StoredObject.Row) -> Bool
    ) -> [(line: Line, place: ListOrder.Place)] {
        var lines: [(line: Line, place: ListOrder.Place)] = []
        var folders: [String: ListOrder.Place] = [:]
        objects.forEach(from: prefix) { key, object in
            guard key.hasPrefix(prefix) else { return false }
            guard isVisible(object.row) else { return true }
            if folded, let slash = key.dropFirst(prefix.count).firstIndex(of: "/") {
                let folder = String(key[...slash])
                let place = order.place(object.row, as: folder)
                if folders[folder].map({ order.precedes(place, $0) }) ?? true { folders[folder] = place }
            } else {
                lines.append((.object(key, object.row), order.place(object.row, as: key)))
            }
            return true
        }
        lines += folders.map { (.folder($0.key), $0.value) }
        if let cursor { lines.removeAll { !order.precedes(cursor, $0.place) } }
        lines.sort { order.precedes($0.place, $1.place) }
        return Array(lines.prefix(count))
    }

    /// The keys under a prefix in order; with a delimiter, what lies deeper is one folder.
    ///
    /// - Parameters:
    ///   - cursor: The name after which it begins.
    ///   - count: The most lines wanted; no more of the bucket is looked at.
    ///   - isVisible: Whether a row may be seen.
    static func flat(
        of objects: KeyMap<StoredObject>,
        under prefix: String,
        folded: Bool,
        after cursor: String?,
        atMost count: Int,
        where isVisible: (StoredObject.Row) -> Bool
    ) -> [Line] {
        var lines: [Line] = []
        var start: String? = max(prefix, cursor ?? "")
        while let from = start {
            start = nil
            objects.forEach(from: from) { key, object in
                guard key.hasPrefix(prefix), lines.count < count else { return false }
                guard isVisible(object.row) else { return true }
                if folded, let slash = key.dropFirst(prefix.count).firstIndex(of: "/") {
                    let folder = String(key[...slash])
                    if cursor.map({ folder > $0 }) ?? true { lines.append(.folder(folder)) }
                    // On to what follows the folder, however much is in it: "0" comes next after "/".
                    start = folder.dropLast() + "0"
                    return false
                }
                if cursor.map({ key > $0 }) ?? true { lines.append(.object(key, object.row)) }
                return true
            }
        }
        return lines
    }
}
