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
            let found = try await api.feed(page: page)
            store.take(found.items, of: reading)
            if page == 0 { log.cache(found, as: Self.cacheName, position: reading.position) }
            return (found.items.map(\.id), found.hasMore)
        }
    }

    /// Shows the cached page, where it is fresh, and reads the feed in any case.
    func loadInitial() async {
        if let cached = log.cached(Self.cacheName, as: Page<Post>.self),
            (0..<Self.freshness).contains(cached.age)
        {
            store.take(cached.value.items, of: store.kept(at: cached.position))
            list.show((cached.value.items.map(\.id), cached.value.hasMore))
        }
        await list.load()
    }

    /// Forgets the cached page, and reads the feed.
    func refresh() async {
        log.cache(Page<Post>?.none, as: Self.cacheName, position: 0)
        await list.load()
    }
}
