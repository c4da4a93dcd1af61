private actor Stack {
    private(set) var top = 1
    private var next = [1: 2, 2: 3, 3: 0]
    private var version = 0
    private(set) var given: [Int] = []

    func look() -> (top: Int, next: Int, version: Int) { (top, next[top] ?? 0, version) }

    /// Puts `new` on top if the top is still the one that was seen.
    func exchange(_ seen: (top: Int, next: Int, version: Int), isFixed: Bool) -> Bool {
        guard top == seen.top, !isFixed || version == seen.version else { return false }  // race: late
        given.append(seen.top)
        top = seen.next
        version += 1
        return true
    }

    func push(_ item: Int) {
        next[item] = top
        top = item  // race: early
        version += 1
        given.removeAll { $0 == item }
    }
}

extension ZooProgram {
    static let abaStack = ZooProgram(
        "aba-stack",
        .concurrency,
        "the top of a stack is the same again, although the items below it have changed"
    ) { isFixed in
        let stack = Stack()
        @Sendable func pop() async -> Int {
            while true {
                let seen = await stack.look()  // race: early
                await Task.yield()  // prepares the exchange
                if await stack.exchange(seen, isFixed: isFixed) { return seen.top }  // race: late
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await pop() }
            group.addTask {
                let first = await pop()
                _ = await pop()
                await stack.push(first)  // race: early
            }
        }
        // Who was given away must not lie on the stack.
        try expect(await !stack.given.contains(stack.top), "an item that somebody holds lies on the stack")
    }
}
