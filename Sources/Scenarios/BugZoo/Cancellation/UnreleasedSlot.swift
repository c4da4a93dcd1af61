private actor Slots {
    private var free = 1

    func take() -> Bool {
        guard free > 0 else { return false }
        free -= 1
        return true
    }
    func giveBack() { free += 1 }
    var areFree: Bool { free == 1 }
}

extension ZooProgram {
    static let unreleasedSlot = ZooProgram(
        "unreleased-slot",
        .cancellation,
        "a cancellation between taking a slot and giving it back leaves the slot taken"
    ) { isFixed in
        let slots = Slots()
        let worker = Task {
            guard await slots.take() else { return }
            do {
                for _ in 0..<3 {
                    await Task.yield()  // race: late
                    try Task.checkCancellation()  // race: late
                }
            } catch {
                if isFixed { await slots.giveBack() }
                throw error
            }
            await slots.giveBack()
        }
        // The user leaves the screen when the work is long done, usually.
        for _ in 0..<12 { await Task.yield() }  // race: early
        worker.cancel()  // race: early
        _ = await worker.result
        try expect(await slots.areFree, "a slot is taken forever")
    }
}
