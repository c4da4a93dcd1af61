import Probes
import Synchronization

/// Decides at each fault point of one simulated service whether the fault happens.
///
/// In a simulation points are armed with `Simulation.arm(faultPoint:)` or by a plan of faults, so that a recipe lists
/// what happened and shrinking leaves it out. ``arm(_:probability:values:skipping:atMost:seed:)`` is for services that run
/// outside a simulation, and for tests of a service by itself.
public final class PeerFaults: Sendable {
    private struct Armed {
        var probability: Double
        var values: [String: Double]
        var skipping: Int
        var limit: Int
        /// Decides the chances of a seed; `nil` for the system's.
        var numbers: SeededNumbers?

        mutating func happens() -> Bool {
            if probability >= 1 { return true }
            guard var seeded = numbers else { return Double.random(in: 0..<1) < probability }
            defer { numbers = seeded }
            return Double.random(in: 0..<1, using: &seeded) < probability
        }
    }

    /// The points that the service has.
    public let points: [PeerFaultPoint]
    private let armed = Mutex<[String: Armed]>([:])
    /// Whether anything is armed: a lock for each of hundreds of passings costs more than what they are part of.
    private let isArmed = Atomic(false)

    /// Nothing is armed yet.
    public init(_ points: [PeerFaultPoint]) { self.points = points }

    /// Arms a point of this service alone.
    ///
    /// - Parameters:
    ///   - name: The name of the point.
    ///   - probability: Of the fault at each passing, 0…1.
    ///   - values: Numbers that say how; others are as usual.
    ///   - skipping: How many passings go well before.
    ///   - limit: How often it happens at most.
    ///   - seed: What the chances follow, passing by passing of this point; `nil` for chances that nobody can repeat.
    /// - Throws: ``FaultNotArmed`` for names that the service does not have and for numbers out of range.
    public func arm(
        _ name: String,
        probability: Double = 1,
        values: [String: Double] = [:],
        skipping: Int = 0,
        atMost limit: Int = .max,
        seed: UInt64? = nil
    ) throws(FaultNotArmed) {
        guard let point = points.first(where: { $0.name == name }) else {
            let known = points.map(\.name).joined(separator: ", ")
            throw FaultNotArmed(
                description: "there is no fault point “\(name)” in this service; there are \(known)"
            )
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let known = point.values.first(where: { $0.name == key }) else {
                let names = point.values.map(\.name).joined(separator: ", ")
                throw FaultNotArmed(
                    description:
                        "\(name) takes no “\(key)”; it takes \(names.isEmpty ? "no numbers" : names)"
                )
            }
            guard known.range.contains(value) else {
                throw FaultNotArmed(
                    description:
                        "\(name): \(key) must be from \(known.range.lowerBound) to \(known.range.upperBound)"
                )
            }
        }
        armed.withLock {
            $0[name] = Armed(
                probability: probability,
                values: values,
                skipping: skipping,
                limit: limit,
                numbers: seed.map { Self.numbers($0, of: name) }
            )
            isArmed.store(true, ordering: .releasing)
        }
    }

    /// Each point has a sequence of its own, so that others that are passed meanwhile do not disturb it.
    private static func numbers(_ seed: UInt64, of name: String) -> SeededNumbers {
        // FNV-1a, which is the same in every process.
        let mixed = name.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return SeededNumbers(seed: mixed)
    }

    /// Disarms what ``arm(_:probability:values:skipping:atMost:seed:)`` has armed.
    public func disarm() {
        armed.withLock {
            $0 = [:]
            isArmed.store(false, ordering: .releasing)
        }
    }

    /// Passes a point.
    ///
    /// - Returns: How the fault happens, or `nil` when all goes well.
    public func strike(_ point: PeerFaultPoint) -> PeerFault? {
        if faultPoint(point.id) {
            let values = point.values.map { ($0.name, faultValue($0.name, of: point.id, default: $0.usual)) }
            return PeerFault(values: Dictionary(uniqueKeysWithValues: values))
        }
        guard isArmed.load(ordering: .acquiring) else { return nil }
        let given = armed.withLock { armed -> [String: Double]? in
            guard var arming = armed[point.name], arming.limit > 0 else { return nil }
            defer { armed[point.name] = arming }
            guard arming.skipping == 0 else {
                arming.skipping -= 1
                return nil
            }
            guard arming.happens() else { return nil }
            arming.limit -= 1
            return arming.values
        }
        guard let given else { return nil }
        let usual = point.values.map { ($0.name, $0.usual) }
        return PeerFault(values: Dictionary(uniqueKeysWithValues: usual).merging(given) { $1 })
    }
}
