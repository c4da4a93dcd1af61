private actor Queue {
    private var items: [Int] = []
    private var waiter: CheckedContinuation<Void, Never>?

    var isEmpty: Bool { items.isEmpty }

    func put(_ item: Int) {
        items.append(item)  // race: early, late
        waiter?.resume()
        waiter = nil
    }

    func waitForItem() async { await withCheckedContinuation { waiter = $0 } }  // race: late

    /// Looks and waits without letting anybody between.
    func waitWhileEmpty() async {
        while items.isEmpty { await withCheckedContinuation { waiter = $0 } }
    }

    func take() -> Int? { items.isEmpty ? nil : items.removeFirst() }
}

private actor Journal {
    private var lines = 0
    func note() { lines += 1 }
}

extension ZooProgram {
    static let lostWakeUp = ZooProgram(
        "lost-wake-up",
        .concurrency,
        "a reader sees that a queue is empty, and waits just after the item has arrived; it is stuck"
    ) { isFixed in
        let queue = Queue()
        let journal = Journal()
        let reader = Task { () -> Int? in
            if isFixed {
                await queue.waitWhileEmpty()
            } else if await queue.isEmpty {  // race: early
                await journal.note()
                await queue.waitForItem()  // race: late
            }
            return await queue.take()
        }
        for _ in 0..<8 { await Task.yield() }
        await queue.put(1)  // race: early, late
        try expect(await reader.value == 1, "the item is gone")
    }
}
