public import Conformance

/// The requirements of `NetworkMonitor`, as cases that any implementation can be run against.
public enum NetworkMonitorConformance {
    /// One requirement.
    public typealias Case = Suite<any NetworkMonitorHarness>.Case

    /// All requirements.
    public static let cases: [Case] = states + changing + ending

    /// The suite of them.
    public static let suite = Suite("network monitor", cases)
}

extension Suite.Case where Subject == any NetworkMonitorHarness {
    /// - Parameter isConnected: Whether the device has a network at first; `nil` where it keeps it.
    init(
        _ id: String,
        _ name: String,
        needs: Set<NetworkMonitorCapability> = [],
        isConnected: Bool? = true,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { harness in
            let trial = try await Trial.make(harness, isConnected)
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.takeDown()
            }
        }
    }
}
