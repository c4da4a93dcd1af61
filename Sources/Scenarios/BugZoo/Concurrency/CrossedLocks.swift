private actor Lock {
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        if isHeld { await withCheckedContinuation { waiting.append($0) } } else { isHeld = true }
    }

    func release() {
        if waiting.isEmpty { isHeld = false } else { waiting.removeFirst().resume() }
    }
}

extension ZooProgram {
    static let crossedLocks = ZooProgram(
        "crossed-locks",
        .concurrency,
        "two tasks take two hand-made locks in opposite order, and wait for each other forever"
    ) { isFixed in
        let (one, other) = (Lock(), Lock())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    // The second comes later, and usually finds both free.
                    for _ in 0..<(number * 10) { await Task.yield() }
                    let locks = number == 0 || isFixed ? [one, other] : [other, one]
                    await locks[0].acquire()  // race: early
                    await locks[1].acquire()  // race: late
                    await locks[1].release()
                    await locks[0].release()
                }
            }
        }
    }
}
