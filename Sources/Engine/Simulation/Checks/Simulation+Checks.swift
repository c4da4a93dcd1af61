import CSimulation

/// Identifies a check by its place.
struct CheckKey: Hashable {
    var kind: CheckRecord.Kind
    var name: String
    var file: String
    var line: Int
}

extension Simulation {
    /// Counts one evaluation of a check, and acts on it.
    ///
    /// A broken `always` or `never` ends the run after this step.
    ///
    /// - Returns: For a fault point, whether the fault happens; for others, whether the check held.
    func evaluate(_ key: CheckKey, holds: Bool, seen: @autoclosure () -> String) -> Bool {
        var held = holds
        if key.kind == .faultPoint { held = fires(faultPoint: key.name) }
        let none = CheckRecord(kind: key.kind, name: key.name, file: key.file, line: key.line)
        let isFirstHit = checks[key, default: none].count(held)
        switch key.kind {
        case .always: if !held { breakOff(key, seen()) }
        case .never: if held { breakOff(key, seen()) }
        case .sometimes: if isFirstHit { configuration.onBranchPoint?(self, key.name) }
        case .branchPoint: if isFirstHit { configuration.onBranchPoint?(self, key.name) }
        // A task that waits for an eventual property gets an error when it is violated.
        case .eventually, .faultPoint: break
        }
        return held
    }

    /// Counts one evaluation of a property that is stated as data, such as one of a screen; where it does not hold, the run ends
    /// after this step.
    package func check(
        _ property: String,
        holds: Bool,
        seen: @autoclosure () -> String,
        file: String = #fileID,
        line: Int = #line
    ) {
        _ = evaluate(
            CheckKey(kind: .always, name: property, file: file, line: line),
            holds: holds,
            seen: seen()
        )
    }

    func breakOff(_ key: CheckKey, _ seen: String) {
        guard violation == nil else { return }
        note("check", "violated \(key.kind.rawValue) \(key.name)")
        mark(.violation)
        violation = PropertyViolation(kind: key.kind, property: key.name, seen: seen, position: position)
        unsafe csim_finish(world)
    }
}

/// Identifies a probe by its texts in the program, which are constants.
struct ProbePlace: Hashable {
    var kind: UInt32
    var name: UInt
    var file: UInt
    var line: UInt32
}

extension Simulation {
    fileprivate func learnProbe(
        _ place: ProbePlace,
        _ name: UnsafePointer<CChar>,
        _ file: UnsafePointer<CChar>
    ) -> CheckKey {
        let kinds: [CheckRecord.Kind] = [.always, .never, .sometimes, .faultPoint, .branchPoint]
        let key = unsafe CheckKey(
            kind: kinds[Int(place.kind)],
            name: String(cString: name),
            file: String(cString: file),
            line: Int(place.line)
        )
        probes[place] = key
        return key
    }
}

/// Answers the probes in product code; see the target `Probes`.
func answerProbe(
    _ world: OpaquePointer,
    _ kind: csim_probe_kind,
    _ name: UnsafePointer<CChar>,
    _ file: UnsafePointer<CChar>,
    _ line: UInt32,
    _ holds: Bool,
    _ seen: UnsafePointer<CChar>?
) -> Bool {
    guard let owner = unsafe csim_owner(world) else { return false }
    let simulation = unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    let place = ProbePlace(
        kind: kind.rawValue,
        name: UInt(bitPattern: name),
        file: UInt(bitPattern: file),
        line: line
    )
    let key = unsafe simulation.probes[place] ?? simulation.learnProbe(place, name, file)
    return simulation.evaluate(key, holds: holds, seen: unsafe seen.map { unsafe String(cString: $0) } ?? "")
}
