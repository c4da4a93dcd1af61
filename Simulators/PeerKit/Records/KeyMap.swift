/// Values by key, in the order of the keys.
///
/// Keys lie in runs of bounded length, so that adding, removing and finding cost almost the same however many there are,
/// and a listing begins in the middle without a sort.
public struct KeyMap<Value> {
    /// A key and its value.
    public typealias Element = (key: String, value: Value)

    /// Elements of the longest run; a full one is cut in half.
    private static var runLength: Int { 256 }

    /// None is empty, and all keys of one precede those of the next.
    private var runs: [[Element]] = []

    /// Makes an empty map.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { runs.isEmpty }

    /// The value of a key; `nil` removes it.
    public subscript(key: String) -> Value? {
        get {
            let place = place(of: key)
            return place.isTaken ? runs[place.run][place.offset].value : nil
        }
        set {
            let place = place(of: key)
            switch (place.isTaken, newValue) {
            case (true, let value?): runs[place.run][place.offset].value = value
            case (true, nil): remove(place)
            case (false, let value?): insert((key, value), place)
            case (false, nil): break
            }
        }
    }

    /// Calls the body with each element from that key on, in order, until it returns `false`.
    public func forEach(from key: String = "", _ body: (Element) -> Bool) {
        let start = place(of: key)
        for run in start.run..<max(start.run, runs.count) {
            for element in runs[run][(run == start.run ? start.offset : 0)...] where !body(element) { return }
        }
    }

    // MARK: Places

    private struct Place {
        var run: Int
        var offset: Int
        var isTaken: Bool
    }

    /// Where a key is, or belongs; in the last run also when it comes after all others.
    private func place(of key: String) -> Place {
        let run = Self.firstIndex(below: runs.count) { runs[$0][runs[$0].count - 1].key >= key } ?? runs.count
        guard run < runs.count else { return Place(run: run, offset: 0, isTaken: false) }
        let elements = runs[run]
        let offset = Self.firstIndex(below: elements.count) { elements[$0].key >= key } ?? elements.count
        return Place(run: run, offset: offset, isTaken: elements[offset].key == key)
    }

    /// The first index of which the condition holds; it holds of all after that.
    private static func firstIndex(below count: Int, where holds: (Int) -> Bool) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low < count ? low : nil
    }

    private mutating func insert(_ element: Element, _ place: Place) {
        guard !runs.isEmpty else { return runs.append([element]) }
        // After all others: at the end of the last run.
        let run = min(place.run, runs.count - 1)
        runs[run].insert(element, at: place.run == run ? place.offset : runs[run].count)
        guard runs[run].count > Self.runLength else { return }
        let second = Array(runs[run][(Self.runLength / 2)...])
        runs[run].removeSubrange((Self.runLength / 2)...)
        runs.insert(second, at: run + 1)
    }

    private mutating func remove(_ place: Place) {
        runs[place.run].remove(at: place.offset)
        if runs[place.run].isEmpty { runs.remove(at: place.run) }
    }
}

extension KeyMap: Sendable where Value: Sendable {}
