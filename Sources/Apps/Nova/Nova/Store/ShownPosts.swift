/// The posts of a list as they are shown: all are made again where the list has changed, and otherwise those that have changed.
@MainActor
struct ShownPosts {
    private var ids: [String] = []
    private var version = 0
    private weak var store: NovaStore?
    private var cards: [PostCard] = []
    /// Where each card is.
    private var places: [String: Int] = [:]

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
        cards = ids.compactMap { store.post($0) }
        places = Dictionary(cards.indices.map { (cards[$0].id, $0) }) { $1 }
    }

    /// Makes one card again; false where it comes or goes.
    private mutating func update(_ id: String, in store: NovaStore) -> Bool {
        let card = store.post(id)
        guard let place = places[id] else { return card == nil || !ids.contains(id) }
        guard let card else { return false }
        cards[place] = card
        return true
    }
}
