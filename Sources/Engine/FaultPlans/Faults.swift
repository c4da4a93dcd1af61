import Foundation
public import SimulatedDisk
public import SimulatedTransport
import Simulation

/// Lets things go wrong in a world, at a time or now and then.
///
/// Each call has a fault source of its own, with the first number that is free, such as `scheduled 2 reset phone gemini`.
/// Of faults that overlap what two of them do ends with the last, when they come from the same `Faults`: keep it.
///
/// ```swift
/// world.faults.at(.seconds(12), .reset("phone", "gemini"))
/// world.faults.random(.powerOff("hub", for: .seconds(5)), perMinute: 2)
/// ```
public struct Faults: Sendable {
    private let world: PlannedWorld

    /// Takes what may go wrong.
    ///
    /// - Precondition: A simulation is current.
    public init(network: SimulatedNetwork? = nil, disks: [SimulatedDisk] = []) {
        guard let simulation = Simulation.current else {
            preconditionFailure("faults happen in a simulation")
        }
        world = PlannedWorld(simulation: simulation, network: network, disks: disks)
    }

    /// Lets a fault happen, after a delay from now.
    ///
    /// - Precondition: The fault can come true in the world.
    public func at(_ delay: Duration, _ fault: Fault) {
        check(fault)
        let source = source(of: fault)
        world.simulation.schedule(after: delay) {
            if let chance = source.fires(probability: 1) { world.begin(fault.event, chance) }
        }
    }

    /// Lets a fault happen now and then, as a Poisson process, until everything is healed.
    ///
    /// - Precondition: The fault can come true in the world, and the rate is more than 0.
    public func random(_ fault: Fault, perMinute rate: Double) {
        precondition(rate > 0, "a rate is more than 0")
        check(fault)
        let source = source(of: fault)
        next(fault, .seconds(60 / rate), source, Waits(world.simulation, source.name))
    }

    private func source(of fault: Fault) -> FaultSource {
        world.simulation.claimFaultSource("scheduled", numberedFor: "\(fault)")
    }

    private func next(_ fault: Fault, _ mean: Duration, _ source: FaultSource, _ waits: Waits) {
        world.simulation.schedule(after: waits.next(mean: mean)) {
            guard !world.simulation.isHealed else { return }
            if let chance = source.fires(probability: 1) { world.begin(fault.event, chance) }
            next(fault, mean, source, waits)
        }
    }

    private func check(_ fault: Fault) {
        var plan = FaultPlan()
        plan.events = [fault.event]
        do { try world.check(plan) } catch { preconditionFailure("\(error)") }
    }

    /// Times between faults; a stream of its own, so that what else is drawn does not shift them.
    private final class Waits: @unchecked Sendable {
        // Invariant that makes this Sendable: used only on the thread of its simulation.
        private var entropy: EntropyStream

        init(_ simulation: Simulation, _ name: String) { entropy = simulation.entropy("faults/\(name)") }

        /// Exponentially distributed: the inverse of the distribution function; 1 − u is never zero.
        func next(mean: Duration) -> Duration { mean * -log(1 - Double.random(in: 0..<1, using: &entropy)) }
    }
}

/// Something that can go wrong, once.
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    var event: FaultPlan.Event

    /// What, and to whom.
    public var description: String { "\(event.action.rawValue) \(event.on.joined(separator: " "))" }

    private init(
        _ action: FaultPlan.Action,
        _ on: [String],
        _ duration: Duration? = nil,
        amount: Double? = nil
    ) {
        event = .init(at: 0, action, on: on, duration: duration.map { $0 / .seconds(1) }, amount: amount)
    }

    /// Nodes crash; after the time, if there is one, their programs start again.
    public static func crash(_ nodes: String..., for time: Duration? = nil) -> Fault {
        Fault(.crash, nodes, time)
    }
    /// Nodes lose power without closing their connections; after the time, if there is one, their programs start again on
    /// what their disks kept.
    public static func powerOff(_ nodes: String..., for time: Duration? = nil) -> Fault {
        Fault(.powerOff, nodes, time)
    }
    /// Nodes stand still.
    public static func pause(_ nodes: String..., for time: Duration) -> Fault { Fault(.pause, nodes, time) }
    /// A node's wall clock jumps.
    public static func clockStep(_ node: String, by time: Duration) -> Fault {
        Fault(.clockStep, [node], amount: time / .seconds(1))
    }
    /// A node's wall clock runs faster by this share, such as 0.01, or slower; from -0.5 to 0.5.
    public static func clockDrift(_ node: String, by share: Double, for time: Duration? = nil) -> Fault {
        Fault(.clockDrift, [node], time, amount: share)
    }
    /// All links between the hosts are cut.
    public static func partition(_ hosts: String..., for time: Duration? = nil) -> Fault {
        Fault(.partition, hosts, time)
    }
    /// What goes from the first host to the others is cut.
    public static func oneWay(_ hosts: String..., for time: Duration? = nil) -> Fault {
        Fault(.oneWay, hosts, time)
    }
    /// A host is cut off from all others.
    public static func isolate(_ host: String, for time: Duration? = nil) -> Fault {
        Fault(.isolate, [host], time)
    }
    /// Open connections between the first host and the others break.
    public static func reset(_ hosts: String...) -> Fault { Fault(.reset, hosts) }
    /// The first host forgets its connections to the others.
    public static func forget(_ hosts: String...) -> Fault { Fault(.forget, hosts) }
    /// What goes from the first host to the others waits.
    public static func stall(_ hosts: String..., for time: Duration) -> Fault { Fault(.stall, hosts, time) }
}
