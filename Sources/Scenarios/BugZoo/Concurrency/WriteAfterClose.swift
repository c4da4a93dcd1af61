private actor Log {
    private var isClosed = false
    private(set) var lost = 0
    private(set) var written = 0
    private var open = 0
    private var closer: CheckedContinuation<Void, Never>?

    func begin() { open += 1 }
    func write() {
        if isClosed { lost += 1 } else { written += 1 }  // race: late
        open -= 1
        if open == 0 { closer?.resume() }
        if open == 0 { closer = nil }
    }
    /// Waits for those who have begun.
    func close(isFixed: Bool) async {
        if isFixed, open > 0 { await withCheckedContinuation { closer = $0 } }
        isClosed = true  // race: early
    }
}

extension ZooProgram {
    static let writeAfterClose = ZooProgram(
        "write-after-close",
        .concurrency,
        "a file is closed while a task that has begun to write is suspended"
    ) { isFixed in
        let log = Log()
        await log.begin()
        let writer = Task {
            await Task.yield()
            await log.write()  // race: late
        }
        for _ in 0..<8 { await Task.yield() }
        await log.close(isFixed: isFixed)  // race: early
        await writer.value
        try expect(await log.lost == 0, "an entry was written after the file was closed")
    }
}
