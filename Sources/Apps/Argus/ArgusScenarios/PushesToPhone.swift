package import ArgusHub
internal import PeerKit
internal import Services
package import SimulatedPush
internal import Synchronization

/// Takes a hub's pushes to phones, at once: each of them once, however often it is sent.
package final class PushesToPhone: HubPushes {
    private struct State {
        var phones: [String: SimulatedPushCentre] = [:]
        var delivered: Set<String> = []
        var losses = 0
    }

    private let state = Mutex(State())

    /// Reaches no phone yet.
    package init() {}

    /// Reaches a phone by a token in place of any other: small hexadecimal digits.
    package func reach(_ phone: SimulatedPushCentre, by token: String) {
        state.withLock { state in
            state.phones = state.phones.filter { $0.value !== phone }
            state.phones[token] = phone
        }
    }

    /// Has the hub not hear that the next push was taken, so that it sends it again.
    func loseNextAnswer() { state.withLock { $0.losses = 1 } }

    /// Shows a push on the phone of its token.
    package func send(_ push: HubPush) async -> HubPushOutcome {
        let (phone, isNew, isLost) = state.withLock { state in
            defer { state.losses = 0 }
            let phone = state.phones[push.token]
            return (phone, phone != nil && state.delivered.insert(push.id).inserted, state.losses > 0)
        }
        guard let phone else { return .badDeviceToken }
        if isNew { phone.deliver(PushNotification(push)) }
        return isLost ? .retry() : .delivered
    }
}

extension PushNotification {
    /// A push as a phone shows it.
    fileprivate init(_ push: HubPush) {
        let alert = (try? JSONValue(json: push.payload, depth: 8))?.object?["aps"]?.object?["alert"]?.object
        self.init(
            id: push.id,
            title: alert?["title"]?.string ?? "",
            body: alert?["body"]?.string ?? "",
            payload: push.payload
        )
    }
}
