/// A queue whose ends cost amortised constant time.
struct FIFO<Element> {
    /// Slots before `head` are spent; they are dropped once they outnumber the rest.
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head > 32, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the first element that `matches`; returns whether there was one.
    mutating func removeFirst(where matches: (Element) -> Bool) -> Bool {
        let index = slots[head...].firstIndex { $0.map(matches) ?? false }
        guard let index else { return false }
        slots.remove(at: index)
        return true
    }
}
