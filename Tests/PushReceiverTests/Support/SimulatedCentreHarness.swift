import Conformance
import PushReceiverConformance
import Services
import SimulatedPush

/// The notification centre of a simulated device.
struct SimulatedCentreHarness: PushReceiverHarness {
    let capabilities: Set<PushReceiverCapability> = [.denial, .tokens]

    func makeReceiver(allowing isAllowed: Bool) async throws -> SimulatedPushCentre {
        SimulatedPushCentre(answer: isAllowed ? .granted : .denied, token: [UInt8](repeating: 1, count: 32))
    }

    func send(_ notification: PushNotification, to receiver: SimulatedPushCentre) async throws {
        receiver.deliver(notification)
    }

    func tap(_ notification: PushNotification, on receiver: SimulatedPushCentre) async throws {
        receiver.tap(notification)
    }

    func shown(on receiver: SimulatedPushCentre) async throws -> [String] { receiver.shown.map(\.id) }

    func changeToken(of receiver: SimulatedPushCentre) async throws {
        receiver.setToken([UInt8](repeating: 2, count: 32))
    }
}
