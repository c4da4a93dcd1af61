private actor Mailbox {
    private var letters = 0
    private(set) var most = 0
    private var senders: [CheckedContinuation<Void, Never>] = []

    func put(limit: Int?) async {
        if let limit {
            while letters >= limit { await withCheckedContinuation { senders.append($0) } }
        }
        letters += 1  // race: early, late
        most = max(most, letters)
    }

    func take() -> Bool {
        guard letters > 0 else { return false }  // race: early, late
        letters -= 1
        if !senders.isEmpty { senders.removeFirst().resume() }
        return true
    }
}

extension ZooProgram {
    static let unboundedQueue = ZooProgram(
        "unbounded-queue",
        .concurrency,
        "nothing limits a fast sender, whose messages accumulate in memory"
    ) { isFixed in
        let mailbox = Mailbox()
        let sender = Task {
            for _ in 0..<10 {
                await mailbox.put(limit: isFixed ? 5 : nil)  // race: early, late
                await Task.yield()
            }
        }
        var taken = 0
        while taken < 10 {
            if await mailbox.take() { taken += 1 } else { await Task.yield() }  // race: early, late
        }
        await sender.value
        try expect(await mailbox.most <= 5, "letters have piled up")
    }
}
