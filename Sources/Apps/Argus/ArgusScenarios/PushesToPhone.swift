internal import ArgusHub
internal import PeerKit
internal import Services
internal import SimulatedPush

/// Takes a hub's pushes to a phone, at once and each of them.
struct PushesToPhone: HubPushes {
    private let phone: SimulatedPushCentre

    init(_ phone: SimulatedPushCentre) { self.phone = phone }

    func send(_ push: HubPush) async -> HubPushOutcome {
        let alert = (try? JSONValue(json: push.payload, depth: 8))?.object?["aps"]?.object?["alert"]?.object
        phone.deliver(
            PushNotification(
                id: push.id,
                title: alert?["title"]?.string ?? "",
                body: alert?["body"]?.string ?? "",
                payload: push.payload
            )
        )
        return .delivered
    }
}
