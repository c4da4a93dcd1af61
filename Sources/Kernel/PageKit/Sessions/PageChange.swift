internal import Foundation
internal import Services

/// What has changed of a screen's state: its members, and of lists whose items have an `id` the items.
///
/// A list of messages that grows by one is one message on the wire, not all of them again.
struct PageChange: Encodable, Sendable {
    /// An item of a list, at the place that it has there in the end.
    struct Placed: Encodable, Sendable {
        var at: Int
        var item: StructuredValue
    }

    /// What has changed in a list of items with an `id`.
    struct ListChange: Encodable, Sendable {
        /// The items that are gone, by their ids; also those that have changed, which are in ``set`` again.
        var remove: [String] = []
        /// The items that are new or have changed, in the order of their places.
        var set: [Placed] = []
    }

    /// The members that are new or have changed as a whole.
    var set: [String: StructuredValue] = [:]
    /// The members that are gone.
    var unset: [String] = []
    /// The lists that have changed in some of their items.
    var lists: [String: ListChange] = [:]

    /// What makes `new` of `old`; `nil` where one of them is no object.
    init?(from old: StructuredValue, to new: StructuredValue) {
        guard case .object(let old) = old, case .object(let new) = new else { return nil }
        unset = old.keys.filter { new[$0] == nil }.sorted()
        for (name, value) in new where old[name] != value {
            if let before = old[name], let change = Self.listChange(from: before, to: value) {
                lists[name] = change
            } else {
                set[name] = value
            }
        }
    }

    /// `nil` where a list has items without an `id`, or has changed in so many that it is sent as a whole.
    private static func listChange(from old: StructuredValue, to new: StructuredValue) -> ListChange? {
        guard let (before, after) = Self.items(old).flatMap({ old in Self.items(new).map { (old, $0) } })
        else {
            return nil
        }
        let kept = Dictionary(uniqueKeysWithValues: after.map { ($0.id, $0.item) })
        var change = ListChange()
        var left: [String] = []
        for (id, item) in before {
            if kept[id] == item { left.append(id) } else { change.remove.append(id) }
        }
        let stays = Set(left)
        // Items that only change places are not moved: the list is sent as a whole.
        guard left == after.map(\.id).filter(stays.contains) else { return nil }
        for (place, (id, item)) in after.enumerated() where !stays.contains(id) {
            change.set.append(Placed(at: place, item: item))
        }
        return change.set.count + change.remove.count < max(after.count, 1) ? change : nil
    }

    /// The items of a list by their ids, which differ.
    private static func items(_ value: StructuredValue) -> [(id: String, item: StructuredValue)]? {
        guard case .list(let list) = value else { return nil }
        var items: [(id: String, item: StructuredValue)] = []
        for item in list {
            guard case .object(let members) = item, case .text(let id)? = members["id"] else { return nil }
            items.append((id, item))
        }
        return Set(items.map(\.id)).count == items.count ? items : nil
    }
}
