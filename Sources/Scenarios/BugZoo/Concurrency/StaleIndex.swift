private actor Album {
    private var photos = ["a", "b", "c"]

    var lastIndex: Int { photos.count - 1 }
    var last: String? { photos.last }
    func photo(at index: Int) -> String { photos[index] }
    func removeLast() { photos.removeLast() }
}

extension ZooProgram {
    /// Not one of ``Zoo/all``: its bug ends the process, and only a process of its own can tell.
    static let staleIndex = ZooProgram(
        "stale-index",
        .concurrency,
        "an index is used after a photo was removed meanwhile; the process ends with a trap"
    ) { isFixed in
        let album = Album()
        async let shown: String? =
            isFixed
            ? album.last
            : {
                let index = await album.lastIndex
                await Task.yield()  // the view is laid out
                return await album.photo(at: index)
            }()
        async let removed: Void = album.removeLast()
        _ = await (shown, removed)
    }
}
