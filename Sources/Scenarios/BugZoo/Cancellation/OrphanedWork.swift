private actor Disk {
    private(set) var writes = 0
    func write() { writes += 1 }
}

extension ZooProgram {
    static let orphanedWork = ZooProgram(
        "orphaned-work",
        .cancellation,
        "work in a task of its own goes on after its owner was cancelled and has ended"
    ) { isFixed in
        let disk = Disk()
        let owner = Task {
            let work = Task {
                for _ in 0..<3 {
                    await Task.yield()
                    try Task.checkCancellation()
                    await disk.write()  // race: late
                }
            }
            // Shows progress meanwhile.
            for _ in 0..<3 {
                await Task.yield()  // race: late
                if Task.isCancelled {  // race: late
                    if isFixed {
                        work.cancel()
                        _ = await work.result
                    }
                    return
                }
            }
            _ = await work.result
        }
        for _ in 0..<16 { await Task.yield() }  // race: early
        owner.cancel()  // race: early
        await owner.value
        let before = await disk.writes  // race: early
        try await Task.sleep(for: .seconds(1))
        try expect(await disk.writes == before, "work goes on after its owner has ended")
    }
}
