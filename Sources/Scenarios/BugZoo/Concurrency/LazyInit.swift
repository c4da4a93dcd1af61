private final class Connection: Sendable {}

private actor Pool {
    private var connection: Connection?
    private var opening: Task<Connection, Never>?

    func get(isFixed: Bool) async -> Connection {
        if let connection { return connection }  // race: early
        if isFixed {
            let task = opening ?? Task { await Self.open() }
            opening = task
            let made = await task.value
            connection = made
            return made
        }
        let made = await Self.open()  // race: late
        connection = made  // race: late
        return made
    }

    private static func open() async -> Connection {
        await Task.yield()
        return Connection()
    }
}

extension ZooProgram {
    static let lazyInit = ZooProgram(
        "lazy-init",
        .concurrency,
        "two callers of something that is created at its first use get two different ones"
    ) { isFixed in
        let pool = Pool()
        let first = Task { await pool.get(isFixed: isFixed) }  // race: early
        for _ in 0..<6 { await Task.yield() }
        let second = Task { await pool.get(isFixed: isFixed) }  // race: early
        let (one, other) = await (first.value, second.value)
        try expect(one === other, "two callers have different connections")
    }
}
