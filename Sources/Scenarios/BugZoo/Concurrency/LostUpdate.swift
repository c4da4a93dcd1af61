private actor Counter {
    var value = 0
    func set(_ value: Int) { self.value = value }
    func increment() { value += 1 }
}

extension ZooProgram {
    static let lostUpdate = ZooProgram(
        "lost-update",
        .concurrency,
        "two tasks read a counter, and both write what they read plus one"
    ) { isFixed in
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask {
                    // One after the other, unless the order of things is unlucky.
                    for _ in 0..<(number * 6) { await Task.yield() }
                    if isFixed {
                        await counter.increment()
                    } else {
                        let seen = await counter.value  // race: early
                        await counter.set(seen + 1)  // race: late
                    }
                }
            }
        }
        try expect(await counter.value == 3, "an update was lost")
    }
}
