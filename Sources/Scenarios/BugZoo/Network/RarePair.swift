import Probes
import Simulation

/// A queue whose worker gives up after a rare fault, and then again after another.
private actor Queue {
    private(set) var failures = 0
    private(set) var isStuck = false

    func fail(fixed: Bool) {
        failures += 1
        // The second failure finds the timer of the first still set, and is never retried.
        if failures > 1, !fixed { isStuck = true }
    }

    func succeed() { failures = 0 }
}

extension ZooProgram {
    static let rarePair = ZooProgram(
        "rare-pair",
        .network,
        "one failed attempt is handled, and a second one right after it is not"
    ) { isFixed in
        Simulation.current?.arm(faultPoint: "attempt", probability: 0.02)
        let queue = Queue()
        for _ in 0..<6 {
            if faultPoint("attempt") {
                await queue.fail(fixed: isFixed)
                branchPoint("an attempt has failed")
            } else {
                await queue.succeed()
            }
            await Task.yield()
        }
        try expect(await !queue.isStuck, "the queue is stuck")
    }
}
