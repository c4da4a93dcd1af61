/// Decides repeatedly whether one kind of fault happens, from a stream of chance of its own.
///
/// Every fault of the simulated world goes through a source, so that a run's faults can be listed, repeated and left
/// out one by one. Keep the source where it is used often; ``Simulation/faultSource(_:)`` looks it up by name.
public final class FaultSource: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// Unique within the simulation.
    public let name: String
    private unowned let simulation: Simulation
    private var entropy: EntropyStream
    private var decisions = 0
    /// The decisions that fire, until a future begins; `nil` when chance decides.
    private let listed: Set<Int>?

    /// Whether one owner has claimed it.
    let isClaimed: Bool

    init(name: String, isClaimed: Bool, simulation: Simulation) {
        self.name = name
        self.isClaimed = isClaimed
        self.simulation = simulation
        entropy = EntropyStream(simulation.chance, label: "fault/\(name)")
        switch simulation.configuration.faults {
        case .drawn: listed = nil
        case .only(let firings): listed = Set(firings.lazy.filter { $0.source == name }.map(\.decision))
        }
    }

    /// Decides whether the fault happens now.
    ///
    /// - Parameter probability: From 0, never, to 1, always; 0 and 1 draw nothing.
    /// - Returns: Chance for what the fault needs to draw, such as a length; `nil` when it does not happen.
    public func fires(probability: Double) -> FaultChance? {
        let decision = decisions
        decisions += 1
        simulation.touchesWorld()
        let only = simulation.isInFuture ? nil : listed
        if only == nil, probability <= 0 { return nil }
        let happens =
            if simulation.isHealed { false } else if let only { only.contains(decision) } else {
                probability >= 1 || (probability > 0 && fraction() < probability)
            }
        guard happens else { return nil }
        simulation.noteFiring(Firing(source: name, decision: decision))
        return FaultChance(seed: simulation.chance.seed, label: "fault/\(name)/\(decision)")
    }

    /// A number in 0..<1, of 53 random bits.
    private func fraction() -> Double { Double(entropy.next() >> 11) * 0x1p-53 }
}

/// What one fault draws; the same for a firing, whichever other faults happen.
public typealias FaultChance = EntropyStream

extension Simulation {
    /// Returns the source of that name, and makes it at the first call.
    ///
    /// - Precondition: Nobody has claimed it.
    public func faultSource(_ name: String) -> FaultSource {
        guard let known = faultSources[name] else { return make(name, isClaimed: false) }
        precondition(!known.isClaimed, "the fault source “\(name)” has an owner; choose another name")
        return known
    }

    /// Makes the source of that name for one owner, whose decisions nobody else's may shift.
    ///
    /// - Precondition: There is none of that name yet.
    public func claimFaultSource(_ name: String) -> FaultSource {
        precondition(faultSources[name] == nil, "the fault source “\(name)” is in use already")
        return make(name, isClaimed: true)
    }

    /// Makes a source for one owner, with the first number that is free: `scheduled 2 reset phone gemini`.
    public func claimFaultSource(_ kind: String, numberedFor what: String) -> FaultSource {
        var number = 1
        while faultSources["\(kind) \(number) \(what)"] != nil { number += 1 }
        return make("\(kind) \(number) \(what)", isClaimed: true)
    }

    private func make(_ name: String, isClaimed: Bool) -> FaultSource {
        let source = FaultSource(name: name, isClaimed: isClaimed, simulation: self)
        faultSources[name] = source
        return source
    }

    func noteFiring(_ firing: Firing) {
        firings.append(firing)
        mark(.fault(firing))
        note("fault", "\(firing)")
    }
}
