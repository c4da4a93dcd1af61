internal import AppKernel
internal import Probes
internal import ScenarioKit
internal import SimulatedDisk
internal import Simulation

extension DeliveryWorld {
    /// Something goes wrong, or stops going wrong.
    func happens(_ event: StormStep.Event) async throws {
        switch event {
        case .nothing: break
        case .offline: base.goOffline()
        case .online: base.goOnline()
        case .kill: base.device.crash()
        case .end(let change, let losesWrites):
            base.disk.conditions = losesWrites ? .losingUnsyncedWrites : DiskConditions()
            base.disk.powerOff(atChange: change)
        case .fault(let point, let values): base.arm(point, values: values, atMost: 1)
        case .clockStep(let time): base.device.clock.step(by: time)
        case .secondProcess: try await openSecond()
        case .olderProcessesEnd:
            guard base.device.isAlive else { return }
            do { try await base.onDevice { await $0.endOlder() } } catch is NodeCrashed {}
        case .full(let left): base.disk.capacity = base.disk.usedBytes + left
        case .room: base.disk.capacity = nil
        case .recordFailures(let count):
            Simulation.current?.arm(faultPoint: "deliveries.record", atMost: count)
        }
    }

    private func openSecond() async throws {
        guard base.device.isAlive else { return }
        do {
            try await base.onDevice { try $0.open() }
            sometimes("a second process takes over")
        } catch is NodeCrashed {} catch let error as DatabaseFailure {
            guard error.code == .full else { throw error }
        }
    }

    /// Starts the device where it is off, and again where it ends meanwhile.
    func switchOn() async throws {
        guard !base.device.isAlive else { return }
        sometimes("the power goes at another time", !base.device.hasPower)
        while true {
            do { return try await base.restart() } catch is NodeCrashed {} catch let error as DatabaseFailure
            {
                // The user makes room.
                guard error.code == .full else { throw error }
                base.disk.capacity = nil
                base.device.crash()
            }
        }
    }

    /// All that went wrong is over, and the device is on.
    func calm() async throws {
        base.heal()
        Simulation.current?.disarm(faultPoint: "deliveries.record")
        base.goOnline()
        try await switchOn()
        try await base.onDevice { await $0.endOlder() }
    }

    /// Waits until nothing is left to do, and tries again what was interrupted too often, as a user would: four hours at most.
    func settle() async throws {
        for _ in 0..<240 {
            let retried = try await base.onDevice { phone in
                try phone.app.retryFailed { if case .interrupted = $0.reason { true } else { false } }
            }
            for number in retried { promise.note(number) { $0.wasRetried = true } }
            sometimes("a wish was interrupted too often", !retried.isEmpty)
            let twice = try base.app.app.noted().filter { $0.value.recorded > 1 }.keys.sorted()
            try check(twice.isEmpty, "no receipt is recorded twice", "\(twice)")
            if try base.app.app.entries().allSatisfy(\.isFinal) { return }
            try await Task.sleep(for: .seconds(60))
        }
        let left = try base.app.app.entries().filter { !$0.isFinal }.map { entry in
            "\(entry.identity) \(entry.state), \(entry.attempts) attempts, \(entry.reason.map { "\($0)" } ?? "no reason")"
        }
        try check(left.isEmpty, "everything is done or has failed within four hours", "\(left)")
    }

    /// What is there now.
    func outcome() throws -> Outcome {
        let noted = try base.app.app.noted()
        let files = promise.wishes.filter { $0.kind == .file }.map(\.number)
        return Outcome(
            effects: effects,
            noted: noted,
            entries: try base.app.app.entries(),
            stored: Dictionary(
                uniqueKeysWithValues: files.compactMap { number in
                    storedBytes(of: number).map { (number, $0) }
                }
            )
        )
    }

    /// Ends the run unless files and database of the device agree.
    func checkDevice() throws {
        let files = try base.app.app.files()
        try check(files.there == files.known, "each file belongs to a wish", "\(files)")
        let damages = try base.app.app.damages()
        try check(damages.isEmpty, "no entry is damaged", "\(damages)")
    }
}
