// Probes cost one look at a thread-local variable outside a simulation, and do nothing there.
import CSimulation

/// Asserts that the condition holds each time the call is executed.
///
/// In a simulation a violated property ends the run with an error; elsewhere nothing happens, and nothing is evaluated.
///
/// - Parameters:
///   - property: The property as a sentence.
///   - condition: What must hold; must not suspend.
///   - seen: What was seen instead, for the report.
///   - file: The file in which the property stands.
///   - line: Its line.
public func always(
    _ property: StaticString,
    _ condition: @autoclosure () -> Bool,
    seen: @autoclosure () -> String = "",
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard unsafe csim_get_current() != nil else { return }
    let holds = condition()
    _ = probe(CSIM_ALWAYS, property, holds, holds ? nil : seen(), file, line)
}

/// Asserts that the condition holds at no time.
public func never(
    _ property: StaticString,
    _ condition: @autoclosure () -> Bool,
    seen: @autoclosure () -> String = "",
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard unsafe csim_get_current() != nil else { return }
    let holds = condition()
    _ = probe(CSIM_NEVER, property, holds, holds ? seen() : nil, file, line)
}

/// Asserts that the condition holds at least once in a sweep over many seeds.
///
/// A sweep lists what was never reached, with its place. At the first time that it holds in a run, exploration may
/// branch into several futures.
public func sometimes(
    _ property: StaticString,
    _ condition: @autoclosure () -> Bool = true,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard unsafe csim_get_current() != nil else { return }
    _ = probe(CSIM_SOMETIMES, property, condition(), nil, file, line)
}

/// Names a place at which a fault may happen.
///
/// - Returns: Whether the fault happens here and now; `false` outside a simulation and where nobody armed the point.
@discardableResult
public func faultPoint(_ name: StaticString, file: StaticString = #fileID, line: UInt = #line) -> Bool {
    guard unsafe csim_get_current() != nil else { return false }
    return probe(CSIM_FAULT_POINT, name, false, nil, file, line)
}

/// Reads a number of an armed fault point, which says how the fault happens, such as a delay in seconds.
///
/// - Returns: The number that was given when the point was armed; the default outside a simulation and where none was given.
public func faultValue(_ name: String, of point: StaticString, default fallback: Double) -> Double {
    guard unsafe csim_get_current() != nil else { return fallback }
    precondition(point.hasPointerRepresentation, "a fault point's name is more than one character")
    var value = fallback
    unsafe point.utf8Start.withMemoryRebound(to: CChar.self, capacity: point.utf8CodeUnitCount + 1) { point in
        _ = unsafe csim_fault_value(point, name, &value)
    }
    return value
}

/// Names a place from which several futures are worth a look.
public func branchPoint(_ name: StaticString, file: StaticString = #fileID, line: UInt = #line) {
    guard unsafe csim_get_current() != nil else { return }
    _ = probe(CSIM_BRANCH_POINT, name, true, nil, file, line)
}

private func probe(
    _ kind: csim_probe_kind,
    _ name: StaticString,
    _ holds: Bool,
    _ seen: String?,
    _ file: StaticString,
    _ line: UInt
) -> Bool {
    precondition(
        name.hasPointerRepresentation && file.hasPointerRepresentation,
        "a probe's name is more than one character"
    )
    return unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
        name in
        unsafe file.utf8Start.withMemoryRebound(to: CChar.self, capacity: file.utf8CodeUnitCount + 1) {
            file in
            guard let seen else { return unsafe csim_probe(kind, name, file, UInt32(line), holds, nil) }
            return unsafe seen.withCString { unsafe csim_probe(kind, name, file, UInt32(line), holds, $0) }
        }
    }
}
