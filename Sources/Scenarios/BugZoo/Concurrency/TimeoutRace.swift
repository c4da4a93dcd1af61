private actor Line {
    private var waiting: CheckedContinuation<Int?, Never>?
    private var expected = 0

    /// Waits for the answer to a request, for at most ten milliseconds.
    func request(_ number: Int) async -> Int? {
        expected = number
        return await withCheckedContinuation { continuation in  // race: early
            waiting = continuation  // race: early
            Task {
                try? await Task.sleep(for: .milliseconds(10))  // race: early
                self.timeOut(number)  // race: early
            }
        }
    }

    func answer(_ number: Int, isFixed: Bool) {
        // A late answer to an earlier request is nobody's.
        if isFixed, number != expected { return }
        take()?.resume(returning: number)  // race: late
    }

    private func timeOut(_ number: Int) {
        if number == expected { take()?.resume(returning: nil) }  // race: early
    }

    private func take() -> CheckedContinuation<Int?, Never>? {
        defer { waiting = nil }
        return waiting
    }
}

extension ZooProgram {
    static let timeoutRace = ZooProgram(
        "timeout-race",
        .concurrency,
        "an answer that comes after its timeout is taken for that to the next request"
    ) { isFixed in
        let line = Line()
        for number in 1...2 {
            let peer = Task {
                // As long as the timeout, so that either may come first.
                try? await Task.sleep(for: .milliseconds(number == 1 ? 10 : 5))  // race: late
                await line.answer(number, isFixed: isFixed)  // race: late
            }
            let answer = await line.request(number)  // race: early
            try expect(answer == nil || answer == number, "a request got the answer to another")
            if number == 2 { await peer.value }
        }
    }
}
