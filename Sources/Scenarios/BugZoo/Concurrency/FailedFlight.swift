private struct Refused: Error {}

private actor Loader {
    private var flight: Task<Int, any Error>?
    private var attempts = 0

    func load(isFixed: Bool) async throws -> Int {
        if let flight {
            if !isFixed { return try await flight.value }
            if let value = try? await flight.value { return value }
            // The attempt of another has failed: this one has its own.
            if self.flight == flight { self.flight = nil }
            return try await load(isFixed: isFixed)
        }
        let task = Task { try await self.attempt() }
        flight = task
        do { return try await task.value } catch {
            if isFixed, flight == task { flight = nil }
            throw error
        }
    }

    private func attempt() async throws -> Int {
        attempts += 1
        let number = attempts
        await Task.yield()
        if number == 1 { throw Refused() }
        return 7
    }
}

extension ZooProgram {
    static let failedFlight = ZooProgram(
        "failed-flight",
        .concurrency,
        "callers that share one attempt share its failure, which is kept forever"
    ) { isFixed in
        let loader = Loader()
        // The first attempt is refused; a later caller should get an attempt of its own.
        let first = Task { try? await loader.load(isFixed: isFixed) }
        let late = Task { () -> Int? in
            for _ in 0..<Int.random(in: 0...1) { try? await Task.sleep(for: .milliseconds(1)) }
            if await first.value == nil, Bool.random() { return 7 }
            return try? await loader.load(isFixed: isFixed)
        }
        try expect(await late.value == 7, "the failure of another was handed on")
    }
}
