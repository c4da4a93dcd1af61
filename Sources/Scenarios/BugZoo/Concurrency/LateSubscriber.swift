private actor Announcer {
    private var subscribers: [AsyncStream<Int>.Continuation] = []
    private var latest: Int?

    func subscribe(isFixed: Bool) -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        if isFixed, let latest { continuation.yield(latest) }
        subscribers.append(continuation)  // race: late
        return stream
    }

    func announce(_ value: Int) {
        latest = value
        for subscriber in subscribers { subscriber.yield(value) }  // race: early
    }

    func finish() { for subscriber in subscribers { subscriber.finish() } }
}

extension ZooProgram {
    static let lateSubscriber = ZooProgram(
        "late-subscriber",
        .concurrency,
        "an event is published before a task has subscribed, which then never receives it"
    ) { isFixed in
        let announcer = Announcer()
        // The screen usually subscribes long before the connection is up.
        let screen = Task { () -> Int? in
            for await value in await announcer.subscribe(isFixed: isFixed) { return value }  // race: late
            return nil
        }
        for _ in 0..<6 { await Task.yield() }
        await announcer.announce(1)  // race: early
        for _ in 0..<40 { await Task.yield() }
        try await Task.sleep(for: .seconds(1))
        await announcer.finish()
        try expect(await screen.value == 1, "the event was never heard of")
    }
}
