internal import Foundation

/// The feed of a person, with its first page in the database.
@MainActor
final class Feed {
    /// How long a cached page is shown, from its reading on.
    static let freshness: TimeInterval = 30
    private static let cacheName = "feed"

    let list: PagedList
    private let store: NovaStore
    private let log: NovaLog

    init(
        _ api: APIClient,
        _ store: NovaStore,
        _ log: NovaLog,
        _ changed: @escaping @MainActor () -> Void
    ) {
        (self.store, self.log) = (store, log)
        list = PagedList(changed: changed) { page in
            let reading = store.begin()
            let (found, document) = try await api.feed(page: page)
            store.take(found.items, of: reading)
            let ids = found.items.map(\.id)
            return PagedList.Found(ids: ids, hasMore: found.hasMore) {
                guard page == 0 else { return }
                // Mostly the store has what the document says, which need not be encoded again then.
                let isSame = found.items.allSatisfy { store.confirmed($0.id) == $0 }
                guard !isSame || store.log.position != reading.position else {
                    log.cache(document: Data(document), as: Self.cacheName, position: reading.position)
                    return
                }
                // As the store has them, with what was done while Nova was asked.
                let posts = Page(items: ids.compactMap { store.confirmed($0) }, hasMore: found.hasMore)
                log.cache(posts, as: Self.cacheName, position: store.log.position)
            }
        }
    }

    /// Shows the cached page, where it is fresh, and reads the feed in any case.
    func loadInitial() async {
        if let cached = log.cached(Self.cacheName, as: Page<Post>.self),
            (0..<Self.freshness).contains(cached.age)
        {
            store.take(cached.value.items, of: store.kept(at: cached.position))
            list.show(PagedList.Found(ids: cached.value.items.map(\.id), hasMore: cached.value.hasMore))
        }
        await list.load()
    }

    /// Forgets the cached page, and reads the feed.
    func refresh() async {
        log.cache(Page<Post>?.none, as: Self.cacheName, position: 0)
        await list.load()
    }
}
