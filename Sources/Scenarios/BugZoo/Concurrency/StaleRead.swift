private actor Replica {
    private(set) var value = 0
    private(set) var version = 0
    func set(_ value: Int, version: Int) {
        guard version > self.version else { return }
        self.value = value  // race: late
        self.version = version
    }
}

extension ZooProgram {
    static let staleRead = ZooProgram(
        "stale-read",
        .concurrency,
        "a client that has just written reads from a replica that does not have the write yet"
    ) { isFixed in
        let (leader, follower) = (Replica(), Replica())
        await leader.set(7, version: 1)
        let copying = Task { await follower.set(7, version: 1) }  // race: late
        for _ in 0..<6 { await Task.yield() }
        // With the version of its own write at hand the client can tell, and asks the leader.
        let isFresh = isFixed ? await follower.version >= 1 : true
        let read = isFresh ? await follower.value : await leader.value  // race: early
        await copying.value
        try expect(read == 7, "a write of one's own was not read")
    }
}
