@MainActor private final class Screen {
    var lines: [Int] = []
    func show(_ line: Int) { lines.append(line) }
}

extension ZooProgram {
    static let mainActorOrder = ZooProgram(
        "main-actor-order",
        .concurrency,
        "a background task hands each line to the main actor in a task of its own"
    ) { isFixed in
        let screen = Screen()
        let worker = Task.detached {
            var handed: [Task<Void, Never>] = []
            for line in 1...3 {
                if isFixed {
                    await screen.show(line)
                } else {
                    // Each finds its own way to the main actor.
                    handed.append(Task { await screen.show(line) })  // race: early, late
                }
            }
            for task in handed { await task.value }
        }
        await worker.value
        try expect(
            await screen.lines == [1, 2, 3],
            "lines are shown in another order than they were written"
        )
    }
}
