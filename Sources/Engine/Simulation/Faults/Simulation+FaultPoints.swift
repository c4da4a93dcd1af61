import CSimulation

/// What happens at a fault point.
struct ArmedFaultPoint {
    var probability: Double
    var values: [String: Double]
    var skipping: Int
    var limit: Int
    var action: (@Sendable () -> Void)?
    /// The check that the code passes it at all.
    var expectation: CheckKey?
}

extension Simulation {
    /// Arms a fault point, of product code or of a simulated service.
    ///
    /// Which of its passings fire are decisions of the fault source `point NAME`, as all faults are: recipes list them.
    ///
    /// - Parameters:
    ///   - name: The name that the code gives to `faultPoint(_:)`.
    ///   - probability: Of the fault each time the code passes, 0…1.
    ///   - values: Numbers that say how, which the code reads with `faultValue(_:of:default:)`.
    ///   - skipping: How many passings go well before.
    ///   - limit: How often it happens at most.
    ///   - action: What happens to the world then, such as the crash of a node; the code gets the answer in any case.
    public func arm(
        faultPoint name: String,
        probability: Double = 1,
        values: [String: Double] = [:],
        skipping: Int = 0,
        atMost limit: Int = .max,
        action: (@Sendable () -> Void)? = nil
    ) {
        faultPoints[name] = ArmedFaultPoint(
            probability: probability,
            values: values,
            skipping: skipping,
            limit: limit,
            action: action
        )
    }

    /// Lets all passings of a fault point go well from now on.
    public func disarm(faultPoint name: String) { faultPoints[name] = nil }

    /// Decides whether the fault happens at a passing.
    func fires(faultPoint name: String) -> Bool {
        guard let point = faultPoints[name] else { return false }
        notePassing(point)
        let isDue = !isHealed && point.skipping == 0 && point.limit > 0
        if point.skipping > 0 { faultPoints[name]?.skipping -= 1 }
        guard faultSource("point \(name)").fires(probability: isDue ? point.probability : 0) != nil else {
            return false
        }
        faultPoints[name]?.limit -= 1
        point.action?()
        return true
    }

    /// Expects that the code passes an armed fault point, so that a name that no code has does not go unnoticed.
    ///
    /// The run has a `sometimes` check of it, which a sweep lists among those that never held.
    ///
    /// - Parameters:
    ///   - name: The name, which is armed.
    ///   - file: Where the name was written.
    ///   - line: The line there.
    public func expect(faultPoint name: String, file: String, line: Int) {
        let key = CheckKey(
            kind: .sometimes,
            name: "the fault point \(name) is passed",
            file: file,
            line: line
        )
        faultPoints[name]?.expectation = key
        checks[key] = CheckRecord(kind: key.kind, name: key.name, file: file, line: line)
    }

    func notePassing(_ point: ArmedFaultPoint) {
        guard let key = point.expectation else { return }
        checks[key]?.evaluations += 1
        checks[key]?.hits += 1
    }
}

/// Answers code that asks for a number of an armed fault point; see the target `Probes`.
func answerFaultValue(
    _ world: OpaquePointer,
    _ point: UnsafePointer<CChar>,
    _ name: UnsafePointer<CChar>,
    _ value: UnsafeMutablePointer<Double>
) -> Bool {
    guard let owner = unsafe csim_owner(world) else { return false }
    let simulation = unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    let values = unsafe simulation.faultPoints[String(cString: point)]?.values
    guard let found = unsafe values?[String(cString: name)] else { return false }
    unsafe value.pointee = found
    return true
}
