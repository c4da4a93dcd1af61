extension ZooProgram {
    static let droppedElement = ZooProgram(
        "dropped-element",
        .concurrency,
        "a stream keeps the newest two elements, and its reader expects all"
    ) { isFixed in
        let policy: AsyncStream<Int>.Continuation.BufferingPolicy = isFixed ? .unbounded : .bufferingNewest(2)
        let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: policy)
        let reader = Task {
            var sum = 0
            for await value in stream { sum += value }  // race: late
            return sum
        }
        for value in 1...4 {
            continuation.yield(value)  // race: early
            await Task.yield()
            await Task.yield()  // race: early
        }
        continuation.finish()
        try expect(await reader.value == 10, "an element was dropped")
    }
}
