private actor Line {
    private var waiting: CheckedContinuation<Int?, Never>?
    private var expected = 0

    /// Waits for the answer to a request, for at most ten milliseconds.
    func request(_ number: Int) async -> Int? {
        expected = number
        return await withCheckedContinuation { continuation in
            waiting = continuation
            Task {
                try? await Task.sleep(for: .milliseconds(10))
                self.timeOut(number)
            }
        }
    }

    func answer(_ number: Int, isFixed: Bool) {
        // A late answer to an earlier request is nobody's.
        if isFixed, number != expected { return }
        take()?.resume(returning: number)
    }

    private func timeOut(_ number: Int) {
        if number == expected { take()?.resume(returning: nil) }
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
                try? await Task.sleep(for: .milliseconds(number == 1 ? 10 : 5))
                await line.answer(number, isFixed: isFixed)
            }
            let answer = await line.request(number)
            try expect(answer == nil || answer == number, "a request got the answer to another")
            if number == 2 { await peer.value }
        }
    }
}
