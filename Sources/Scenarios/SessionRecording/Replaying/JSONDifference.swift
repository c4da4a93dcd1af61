import Foundation

/// A member in which two JSON values differ.
public struct JSONDifference: Sendable, Hashable {
    /// Where it is: `messages[2].text`; empty for the values themselves.
    public var path: String
    /// The member of the first value, as text; `nothing` where it has none.
    public var old: String
    /// The member of the second value, likewise.
    public var new: String

    /// The first one; `nil` where both values are the same, or one is no JSON.
    init?(_ old: String, _ new: String) {
        guard let first = Self.all(old, new, atMost: 1).first else { return nil }
        self = first
    }

    private init(_ path: String, _ old: Any?, _ new: Any?) {
        (self.path, self.old, self.new) = (path, Self.text(old), Self.text(new))
    }

    /// The members in which two values differ, in the order of their names; none where one is no JSON.
    ///
    /// - Parameters:
    ///   - old: The first value.
    ///   - new: The second one.
    ///   - limit: How many are looked for.
    ///   - matchingIDs: Whether items of lists are compared by their members `id` where all have one, and their order does not count; otherwise place by place.
    public static func all(
        _ old: String,
        _ new: String,
        atMost limit: Int,
        matchingIDs: Bool = false
    ) -> [JSONDifference] {
        func value(_ text: String) -> Any? {
            try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
        guard let old = value(old), let new = value(new) else { return [] }
        var found: [JSONDifference] = []
        collect(old, new, at: "", limit, matchingIDs, &found)
        return found
    }

    private static func collect(
        _ old: Any?,
        _ new: Any?,
        at path: String,
        _ limit: Int,
        _ matchingIDs: Bool,
        _ found: inout [JSONDifference]
    ) {
        guard found.count < limit else { return }
        if let old = old as? [String: Any], let new = new as? [String: Any] {
            for name in Set(old.keys).union(new.keys).sorted() {
                let place = path.isEmpty ? name : "\(path).\(name)"
                collect(old[name], new[name], at: place, limit, matchingIDs, &found)
            }
        } else if matchingIDs, let old = items(old), let new = items(new), !(old.isEmpty && new.isEmpty) {
            for id in old.keys.filter({ new[$0] == nil }).sorted() + new.keys.sorted() {
                collect(old[id], new[id], at: "\(path)[\(id)]", limit, matchingIDs, &found)
            }
        } else if let old = old as? [Any], let new = new as? [Any] {
            for index in 0..<max(old.count, new.count) {
                let (one, other) = (old.dropFirst(index).first, new.dropFirst(index).first)
                collect(one, other, at: "\(path)[\(index)]", limit, matchingIDs, &found)
            }
        } else {
            let difference = JSONDifference(path, old, new)
            if difference.old != difference.new { found.append(difference) }
        }
    }

    /// The items of a list by their `id`; `nil` where one has none, or two have the same.
    private static func items(_ value: Any?) -> [String: Any]? {
        guard let list = value as? [Any] else { return nil }
        var items: [String: Any] = [:]
        for item in list {
            guard let id = (item as? [String: Any])?["id"] else { return nil }
            guard items.updateValue(item, forKey: "\(id)") == nil else { return nil }
        }
        return items
    }

    private static func text(_ value: Any?) -> String {
        guard let value else { return "nothing" }
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: value, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
    }
}
