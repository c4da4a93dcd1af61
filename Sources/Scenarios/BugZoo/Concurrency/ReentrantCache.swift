private actor Cache {
    private var value: Int?
    private var loading: Task<Int, Never>?
    private(set) var loads = 0

    func get(isFixed: Bool) async -> Int {
        if let value { return value }  // race: early
        if isFixed {
            let task = loading ?? Task { await self.load() }
            loading = task
            return await task.value
        }
        // Others come in while this waits, find nothing, and load too.
        return await load()
    }

    private func load() async -> Int {
        loads += 1
        try? await Task.sleep(for: .milliseconds(1))  // race: late
        value = 7  // race: late
        return 7
    }
}

extension ZooProgram {
    static let reentrantCache = ZooProgram(
        "reentrant-cache",
        .concurrency,
        "a cache that does not record that it is loading is filled twice"
    ) { isFixed in
        let cache = Cache()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await cache.get(isFixed: isFixed) }
            group.addTask {
                // Late enough to find the value, unless the order of things is unlucky.
                for _ in 0..<2 { await Task.yield() }
                try? await Task.sleep(for: .milliseconds(1))
                _ = await cache.get(isFixed: isFixed)  // race: early
            }
        }
        try expect(await cache.loads == 1, "the value was loaded twice")
    }
}
