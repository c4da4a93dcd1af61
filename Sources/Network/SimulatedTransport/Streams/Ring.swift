/// A queue in a ring: no allocation once it is as large as it gets.
struct Ring<Element> {
    /// The capacity is a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : slots[head] }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        if count == 0 { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    mutating func removeAll() { self = Ring() }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(4, slots.count * 2))
        for index in 0..<count { larger.append(slots[(head + index) & (slots.count - 1)]) }
        larger.append(contentsOf: repeatElement(nil, count: max(4, slots.count * 2) - larger.count))
        slots = larger
        head = 0
    }
}
