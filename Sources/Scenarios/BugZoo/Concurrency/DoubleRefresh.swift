private actor Server {
    private var valid = 1
    /// A refresh token works once; a second use of it ends the session, as OAuth servers with rotation do.
    private(set) var isRevoked = false

    func isValid(_ token: Int) -> Bool { token == valid && !isRevoked }
    func expire() { valid += 100 }
    func refresh(_ token: Int) -> Int {
        if token + 100 != valid { isRevoked = true }
        valid = token + 101
        return valid
    }
}

private actor Client {
    private let server: Server
    private var token = 1
    private var refreshing: Task<Int, Never>?

    init(_ server: Server) { self.server = server }

    func call(isFixed: Bool) async {
        let used = token  // race: early
        if await server.isValid(used) { return }
        if isFixed {
            // Somebody else has refreshed it meanwhile, or does so now.
            if token != used { return }
            let task = refreshing ?? Task { [server, token] in await server.refresh(token) }
            refreshing = task
            token = await task.value
            refreshing = nil
        } else {
            token = await server.refresh(used)  // race: late
        }
    }
}

extension ZooProgram {
    static let doubleRefresh = ZooProgram(
        "double-refresh",
        .concurrency,
        "two calls find the token expired, and both use the refresh token, which works once"
    ) { isFixed in
        let server = Server()
        let client = Client(server)
        await server.expire()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    for _ in 0..<(number * 12) { await Task.yield() }
                    await client.call(isFixed: isFixed)  // race: early
                }
            }
        }
        try expect(await !server.isRevoked, "the refresh token was used twice")
    }
}
