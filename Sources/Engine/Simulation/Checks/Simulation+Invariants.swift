import CSimulation

/// A property that is checked after each step.
struct Invariant {
    var key: CheckKey
    /// Kept here, since it is counted at each step.
    var record: CheckRecord
    var condition: () -> Bool
    var seen: () -> String
}

extension Simulation {
    /// Checks a property after every step from now on, apart from what the run does: the first step that violates it ends the
    /// run.
    ///
    /// The condition looks at state that may be read from anywhere, such as what a simulated server has stored; it must not
    /// wait, change anything, or draw chance. It costs one call for each step. It is not asked any more once the body of the
    /// run has ended.
    ///
    /// - Parameters:
    ///   - property: What must hold, as a sentence.
    ///   - file: The file in which the property stands.
    ///   - line: Its line.
    ///   - seen: What to report when it does not.
    ///   - condition: Whether it holds.
    public func always(
        _ property: StaticString,
        file: StaticString = #fileID,
        line: UInt = #line,
        seen: @escaping @Sendable () -> String = { "" },
        _ condition: @escaping @Sendable () -> Bool
    ) {
        let key = CheckKey(kind: .always, name: "\(property)", file: "\(file)", line: Int(line))
        let record = CheckRecord(kind: key.kind, name: key.name, file: key.file, line: key.line)
        invariants.append(Invariant(key: key, record: record, condition: condition, seen: seen))
        unsafe csim_set_watcher(world, watch, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func lookAtInvariants() {
        guard violation == nil else { return }
        for index in invariants.indices {
            let holds = invariants[index].condition()
            invariants[index].record.count(holds)
            if !holds { return breakOff(invariants[index].key, invariants[index].seen()) }
        }
    }

    /// The catalogue, with the properties of this file.
    var allChecks: [CheckRecord] {
        var all = checks
        for invariant in invariants {
            let known = all[invariant.key]
            all[invariant.key, default: invariant.record].evaluations +=
                known == nil ? 0 : invariant.record.evaluations
            all[invariant.key, default: invariant.record].hits += known == nil ? 0 : invariant.record.hits
        }
        return Array(all.values)
    }
}

private let watch: csim_call = { context in
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Simulation>.fromOpaque(context).takeUnretainedValue().lookAtInvariants()
}
