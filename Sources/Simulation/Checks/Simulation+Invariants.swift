import CSimulation

/// A promise that is looked at after each step.
struct Invariant {
    var key: CheckKey
    var condition: () -> Bool
    var seen: () -> String
}

extension Simulation {
    /// Checks a promise after every step from now on, apart from what the run does: the first step that breaks it ends the
    /// run.
    ///
    /// The condition looks at state that may be read from anywhere, such as what a simulated server has stored; it must not
    /// wait, change anything, or draw chance. It costs one call for each step. It is not asked any more once the body of the
    /// run has ended.
    ///
    /// - Parameters:
    ///   - promise: What must hold, as a sentence.
    ///   - seen: What to tell when it does not.
    public func always(
        _ promise: StaticString,
        file: StaticString = #fileID,
        line: UInt = #line,
        seen: @escaping @Sendable () -> String = { "" },
        _ condition: @escaping @Sendable () -> Bool
    ) {
        let key = CheckKey(kind: .always, name: "\(promise)", file: "\(file)", line: Int(line))
        invariants.append(Invariant(key: key, condition: condition, seen: seen))
        unsafe csim_set_watcher(world, watch, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func lookAtInvariants() {
        guard brokenPromise == nil else { return }
        for invariant in invariants {
            let holds = invariant.condition()
            if !evaluate(invariant.key, holds: holds, seen: invariant.seen()) { return }
        }
    }
}

private let watch: csim_call = { context in
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Simulation>.fromOpaque(context).takeUnretainedValue().lookAtInvariants()
}
