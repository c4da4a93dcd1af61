import CSimulation

extension Simulation {
    /// Registers how one part of the world ends its faults; see ``heal()``.
    public func onHeal(_ action: @escaping @Sendable () -> Void) { healers.append(action) }

    /// Ends all faults: no source fires any more, and each part of the world makes good what it can.
    ///
    /// Networks end partitions, disks accept writes and have no limit, wall clocks run true, paused nodes go on, and crashed
    /// nodes that have a program start again. What faults have done stays done: a crashed node without a program stays down,
    /// a clock that was stepped stays ahead or behind, and a stream that stands still does so until its user timeout.
    public func heal() {
        guard !isHealed else { return }
        isHealed = true
        unsafe csim_end_stalls(world)
        note("fault", "heal all")
        for healer in healers { healer() }
        for node in nodes where node.clock.drift != 0 { node.clock.drift = 0 }
        for node in nodes where node.hasProgram && !node.isAlive { node.restart() }
        for node in nodes where node.isPaused { node.resume() }
    }

    /// Ends all faults, and waits until the condition holds.
    ///
    /// - Parameters:
    ///   - property: What must become true, as a sentence.
    ///   - limit: Virtual time within which it must.
    ///   - interval: How often the condition is asked.
    ///   - file: The file in which the property stands.
    ///   - line: Its line.
    ///   - condition: Whether it is true.
    /// - Throws: ``PropertyViolation`` when it does not, and what the condition throws.
    public func eventually(
        _ property: String,
        within limit: Duration,
        every interval: Duration = .milliseconds(100),
        file: StaticString = #fileID,
        line: UInt = #line,
        _ condition: () async throws -> Bool
    ) async throws {
        heal()
        let end = now + limit
        let key = CheckKey(kind: .eventually, name: property, file: "\(file)", line: Int(line))
        while try await !condition() {
            guard now < end else {
                _ = evaluate(key, holds: false, seen: "")
                throw PropertyViolation(
                    kind: .eventually,
                    property: property,
                    seen: "not within \(limit)",
                    position: position
                )
            }
            try await Task.sleep(for: interval)
        }
        _ = evaluate(key, holds: true, seen: "")
    }
}
