import Synchronization

extension Way {
    static var actors: [Way] {
        [
            Way("static-actor", "transfers between accounts of an actor in a static constant") {
                let run = UInt64.random(in: 0...UInt64.max)
                await Ledger.shared.open(run)
                try await concurrently(4) { _ in
                    for _ in 0..<3 { await Ledger.shared.transfer(run, Int.random(in: 1...9)) }
                }
                let (left, right) = await Ledger.shared.close(run)
                try expect(left + right == 200, "\(left) and \(right) are not 200")
            },
            Way("static-actor-own-executor", "an actor in a static constant with a queue of jobs of its own")
            {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { number in
                    for step in 0..<3 {
                        await Journal.shared.write(run, "\(number).\(step)")
                        await Task.yield()
                    }
                }
                let lines = await Journal.shared.take(run)
                try expect(Set(lines).count == 12 && lines.count == 12, "lines are missing: \(lines)")
                for number in 0..<4 {
                    let own = lines.filter { $0.hasPrefix("\(number).") }
                    try expect(own == own.sorted(), "out of order: \(own)")
                }
            },
            Way(
                "static-actor-of-main-executor",
                "an actor in a static constant that runs where the main actor does"
            ) {
                try await concurrently(3) { _ in
                    await Desk.shared.sit()
                    await pause()
                    try await Desk.shared.stand()
                }
                let seated = await Desk.shared.seated
                try expect(seated == 0, "\(seated) still sit")
            },
            Way("actors-in-a-registry", "actors in a static dictionary, one for each name") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(6) { number in
                    let session = Sessions.session("\(run)/\(number % 2)")
                    await session.use()
                    await pause()
                }
                for number in 0..<2 {
                    let uses = await Sessions.session("\(run)/\(number)").uses
                    try expect(uses == 3, "\(uses) uses of 3")
                    Sessions.end("\(run)/\(number)")
                }
            },
            Way("actors-kept-for-ever", "actors in a static dictionary that earlier runs made") {
                try await concurrently(4) { number in
                    let session = Sessions.session("room \(number % 2)")
                    await session.use()
                    await pause()
                    await session.use()
                }
                let uses = await Sessions.session("room 0").uses
                try expect(uses >= 4 && uses.isMultiple(of: 4), "\(uses) uses")
            },
            Way("actor-that-calls-back", "a static actor that awaits closures of its callers") {
                let sum = Mutex(0)
                try await concurrently(4) { number in
                    await Caller.shared.call {
                        await pause()
                        sum.withLock { $0 += number }
                    }
                }
                try expect(sum.withLock { $0 } == 6, "not all were called")
            },
            Way("actor-with-state-by-run", "a static actor that counts, and begins again when all have left")
            {
                try await concurrently(5) { _ in
                    let number = await Turnstile.shared.enter()
                    try expect((1...5).contains(number), "number \(number) of 5")
                    await pause()
                    await Turnstile.shared.leave()
                }
            },
        ]
    }
}

private actor Ledger {
    static let shared = Ledger()
    private var accounts: [UInt64: (Int, Int)] = [:]

    func open(_ run: UInt64) { accounts[run] = (100, 100) }
    func close(_ run: UInt64) -> (Int, Int) { accounts.removeValue(forKey: run) ?? (0, 0) }

    func transfer(_ run: UInt64, _ amount: Int) async {
        accounts[run]?.0 -= amount
        await Task.yield()
        accounts[run]?.1 += amount
    }
}

/// Runs jobs one after the other in a task.
private final class JobQueue: SerialExecutor {
    private let state = Mutex<(jobs: [UnownedJob], runs: Bool)>(([], false))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let begins = state.withLock { state in
            state.jobs.append(job)
            defer { state.runs = true }
            return !state.runs
        }
        if begins { Task.detached { self.runAll() } }
    }

    private func runAll() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock {
            if $0.jobs.isEmpty {
                $0.runs = false
                return nil
            }
            return $0.jobs.removeFirst()
        }
    }
}

private actor Journal {
    static let shared = Journal()
    private let queue = JobQueue()
    private var lines: [UInt64: [String]] = [:]
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    func write(_ run: UInt64, _ line: String) { lines[run, default: []].append(line) }
    func take(_ run: UInt64) -> [String] { lines.removeValue(forKey: run) ?? [] }
}

private actor Desk {
    static let shared = Desk()
    private(set) var seated = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe MainActor.sharedUnownedExecutor }

    func sit() { seated += 1 }
    func stand() throws {
        seated -= 1
        try expect(seated >= 0, "nobody sits")
    }
}

private actor Session {
    private(set) var uses = 0
    func use() { uses += 1 }
}

private enum Sessions {
    private static let all = Mutex<[String: Session]>([:])

    static func session(_ name: String) -> Session {
        all.withLock { all in
            if let known = all[name] { return known }
            let session = Session()
            all[name] = session
            return session
        }
    }

    static func end(_ name: String) { all.withLock { _ = $0.removeValue(forKey: name) } }
}

private actor Caller {
    static let shared = Caller()
    func call(_ body: @Sendable () async -> Void) async { await body() }
}

private actor Turnstile {
    static let shared = Turnstile()
    private var inside = 0
    private var number = 0

    func enter() -> Int {
        if inside == 0 { number = 0 }
        inside += 1
        number += 1
        return number
    }

    func leave() { inside -= 1 }
}
