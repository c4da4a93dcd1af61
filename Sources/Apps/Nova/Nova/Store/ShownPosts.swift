/// The posts of a list as they are shown, made again only where the list, or something in the store, has changed.
@MainActor
struct ShownPosts {
    private var ids: [String] = []
    private var version = 0
    private weak var store: NovaStore?
    private var cards: [PostCard] = []

    mutating func cards(of ids: [String], in store: NovaStore) -> [PostCard] {
        guard store !== self.store || store.version != version || ids != self.ids else { return cards }
        (self.ids, version, self.store) = (ids, store.version, store)
        cards = ids.compactMap { store.post($0) }
        return cards
    }
}
