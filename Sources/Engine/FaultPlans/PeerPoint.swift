/// A fault point of a simulated service in the world, and the numbers that it takes.
public struct PeerPoint: Sendable, Hashable {
    /// Its name, such as `http.429`.
    public var name: String
    /// What each number may be.
    public var values: [String: ClosedRange<Double>]

    /// Describes a point.
    public init(_ name: String, values: [String: ClosedRange<Double>] = [:]) {
        self.name = name
        self.values = values
    }
}

extension FaultPlan.Peer {
    /// Checks that the world has the point, and that it takes the numbers.
    func check(_ known: [PeerPoint]) throws(FaultPlanError) {
        guard let found = known.first(where: { $0.name == point }) else {
            throw .unknownName(point, kind: "fault point of a service", known: known.map(\.name))
        }
        for (name, value) in (values ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let range = found.values[name] else {
                throw .unknownName(name, kind: "number of \(point)", known: found.values.keys.sorted())
            }
            guard range.contains(value) else {
                throw .impossible(
                    "peers \(point): \(name) must be from \(range.lowerBound) to \(range.upperBound)"
                )
            }
        }
    }
}
