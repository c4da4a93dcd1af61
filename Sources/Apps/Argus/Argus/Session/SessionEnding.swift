internal import Concurrency
internal import Foundation
internal import ServiceClient
internal import Services

/// Tells a hub that a session is over, as far as that can be done in a short time.
struct SessionEnding: Sendable {
    /// How long it may take in all.
    static let patience: Duration = .seconds(5)

    /// What is sent, one call after the other.
    private let calls: [Call]
    private let client: ServiceClient

    /// What ends a session at its hub.
    ///
    /// - Parameters:
    ///   - token: The last token of the session.
    ///   - hub: The hub of the session.
    ///   - calls: What is sent; nothing where the token has ended, since the hub would refuse it.
    init(
        _ calls: [Call],
        with token: BearerToken,
        at hub: PairedHub?,
        _ http: WatchedHTTP,
        _ discovery: DiscoveryService
    ) {
        let end = ContinuousClock.now + Self.patience
        self.calls =
            token.isValid(at: Date())
            ? calls.map { call in
                var call = call
                call.carry(token.value, in: "Authorization", scheme: "Bearer")
                call.isAuthorized = false
                // What is revoked or removed twice is revoked or removed.
                call.repeats = .unlessRefused
                call.end = end
                return call
            } : []
        client = ServiceClient(http, policy: .hub) { discovery.address(of: hub) }
    }

    /// Sends it; what fails stays as it is at the hub.
    func run() async {
        let (calls, client) = (calls, client)
        _ = await withDeadline(Self.patience) {
            for call in calls { _ = try? await client.answer(to: call) }
        }
    }
}
