import ArgusHub
import PeerKit
import Services
import SimulatedPush
import Synchronization

/// Takes the pushes of the simulated hub to this device, while there is an internet.
final class HomePushes: HubPushes {
    private let device: SimulatedPushCentre
    private let isOnline = Mutex(true)

    init(_ device: SimulatedPushCentre) { self.device = device }

    func setOnline(_ isOnline: Bool) { self.isOnline.withLock { $0 = isOnline } }

    func send(_ push: HubPush) async -> HubPushOutcome {
        guard isOnline.withLock(\.self) else { return .retry() }
        let alert = (try? JSONValue(json: push.payload, depth: 8))?.object?["aps"]?.object?["alert"]?.object
        device.deliver(
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
