public import Foundation

extension Gallery {
    /// What the gallery shows.
    public struct Content: Sendable, Hashable {
        /// The items, newest first, each with the status of its upload; `completed` exactly where there is an address.
        public private(set) var items: [MediaItem]
        /// Rows that cannot be read; they are not among the items.
        public internal(set) var damagedRows: Int = 0
        /// Where each item stands, so that looking one up costs the same in a large gallery.
        private var places: [UUID: Int] = [:]

        /// Creates a gallery of items, which are newest first.
        public init(items: [MediaItem] = []) {
            self.items = items
            findPlaces()
        }

        /// The item of that id.
        ///
        /// The cost does not depend on the number of items.
        public func item(_ id: UUID) -> MediaItem? { places[id].map { items[$0] } }

        /// Takes out the items of these ids, and adds others.
        mutating func replace(_ ids: Set<UUID>, with others: [MediaItem]) {
            items.removeAll { ids.contains($0.id) }
            items += others
            items.sort(by: Self.precedes)
            findPlaces()
        }

        private mutating func findPlaces() {
            places = Dictionary(
                items.enumerated().map { ($1.id, $0) },
                uniquingKeysWith: { first, _ in first }
            )
        }

        private static func precedes(_ one: MediaItem, _ other: MediaItem) -> Bool {
            one.createdAt == other.createdAt
                ? one.id.uuidString < other.id.uuidString : one.createdAt > other.createdAt
        }

        /// Compares items and damage, from which the rest follows.
        public static func == (left: Content, right: Content) -> Bool {
            left.items == right.items && left.damagedRows == right.damagedRows
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(items)
            hasher.combine(damagedRows)
        }

        // MARK: Pages

        /// Some items in a row.
        public struct Page: Sendable {
            /// The items, newest first.
            public var items: ArraySlice<MediaItem>
            /// The newest item that is older than these.
            public var next: MediaItem?
            /// Whether there are newer items.
            public var hasLater: Bool
        }

        /// The items from one on, as many as ``Gallery/window`` at most; the newest where that one is `nil`, or nothing is left
        /// from there on.
        ///
        /// - Parameter first: An item that is there, or was: its place among the others counts.
        public func page(from first: MediaItem?) -> Page {
            var start = first.map(place) ?? 0
            if start == items.count { start = 0 }
            let end = min(start + Gallery.window, items.count)
            return Page(
                items: items[start..<end],
                next: end < items.count ? items[end] : nil,
                hasLater: start > 0
            )
        }

        /// Where the first item stands that does not precede `item`.
        private func place(of item: MediaItem) -> Int {
            var (low, high) = (0, items.count)
            while low < high {
                let middle = (low + high) / 2
                if Self.precedes(items[middle], item) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
