/// The posts of a list as they are shown: all are made again where the list has changed, and otherwise those that have changed.
@MainActor
struct ShownPosts {
    private var ids: [String] = []
    private var version = 0
    private weak var store: NovaStore?
    private var cards: [PostCard] = []
    /// Where the card of each post of the list is, each of which is there once; `nil` where nothing is known of the post.
    private var places: [String: Int?] = [:]

    mutating func cards(of ids: [String], in store: NovaStore) -> [PostCard] {
        let changes = store.changes
        guard store !== self.store || changes.version != version || ids != self.ids else { return cards }
        let changed = store === self.store && ids == self.ids ? changes.ids(after: version) : nil
        (self.ids, version, self.store) = (ids, changes.version, store)
        guard let changed else {
            make(in: store)
            return cards
        }
        for id in Set(changed) where !update(id, in: store) {
            make(in: store)
            break
        }
        return cards
    }

    private mutating func make(in store: NovaStore) {
        (cards, places) = ([], Dictionary(minimumCapacity: ids.count))
        cards.reserveCapacity(ids.count)
        for id in ids {
            let card = store.post(id)
            places.updateValue(card == nil ? nil : cards.count, forKey: id)
            if let card { cards.append(card) }
        }
    }

    /// Makes one card again; false where it comes or goes.
    private mutating func update(_ id: String, in store: NovaStore) -> Bool {
        guard let place = places[id] else { return true }
        let card = store.post(id)
        guard let place, let card else { return place == nil && card == nil }
        cards[place] = card
        return true
    }
}
