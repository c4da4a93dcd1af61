/// Which posts have changed last, so that a list of a thousand makes one of them again and not all.
struct ChangedPosts {
    /// More changes than any list misses between two looks; after them it is made again whole.
    private static let most = 256

    private var ids: [String] = []
    /// The version before the first of the changes that are remembered.
    private var first = 0

    /// Increases with every change.
    var version: Int { first + ids.count }

    /// One post has changed.
    mutating func note(_ id: String) {
        guard ids.count < Self.most else { return noteAll() }
        ids.append(id)
    }

    /// Any post may have changed.
    mutating func noteAll() { (first, ids) = (version + 1, []) }

    /// The posts that have changed since a version; `nil` where it may be any.
    func ids(after version: Int) -> ArraySlice<String>? {
        version < first ? nil : ids[(version - first)...]
    }
}
