public import ArgusHub
public import PushProvider

/// Sends a hub's pushes through a push service, as its provider.
public struct ProviderPushes: HubPushes {
    private let provider: PushProvider

    /// Takes the provider.
    public init(_ provider: PushProvider) { self.provider = provider }

    /// Sends a push once; an answer that was lost makes it come again with the same ID, which takes the place of the first.
    public func send(_ push: HubPush) async -> HubPushOutcome {
        let message = PushMessage(
            token: push.token,
            id: push.id,
            payload: push.payload,
            collapseID: push.id
        )
        switch await provider.send(message) {
        case .accepted: return .delivered
        case .badDeviceToken: return .badDeviceToken
        case .unregistered(let since): return .unregistered(since)
        case .later(let pause, _): return .retry(after: pause)
        case .refused, .tooLarge: return .refused
        }
    }
}
