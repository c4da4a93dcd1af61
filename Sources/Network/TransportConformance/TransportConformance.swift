public import Conformance

/// The requirements of `Transport` and `ServerHost`, as cases that any pair of both can be run against.
///
/// The cases need no particular pace: they hold over real sockets and in virtual time, with any latency up to a second. A case
/// that waits for something to end waits for as long as ``TransportHarness/patience``.
public enum TransportConformance {
    /// One requirement.
    public typealias Case = Suite<TransportHarness>.Case

    /// All requirements.
    public static let cases: [Case] =
        http + requests + keptConnections + webSocket + webSocketEndings + webSocketMessages + datagram
        + datagramOptions

    /// The suite of them.
    public static let suite = Suite("transport", cases)
}

extension Suite.Case where Subject == TransportHarness {
    init(
        _ id: String,
        _ name: String,
        needs: Set<TransportCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { try await check(Trial(harness: $0)) }
    }
}
