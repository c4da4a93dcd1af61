import Concurrency
import Foundation
import PeerKit
import Transport

extension ArgusHub {
    /// The public hub's retries: after 2, 4 and 8 seconds.
    private static let retries = RetryPolicy(retries: 3, first: .seconds(2), longest: .seconds(8))
    /// Digits of a token: 64 today; Apple may lengthen them.
    private static let tokenLength = 2...200

    // `{push_token, platform}` → `{id, registered_at}`
    func register(_ fields: HubFields, for device: String) throws(HubRefusal) -> PeerAnswer {
        let token = try fields.text("push_token", length: Self.tokenLength).lowercased()
        let platform = try fields.word("platform", of: Self.platforms)
        guard token.utf8.count.isMultiple(of: 2),
            token.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else {
            throw .schema("body", "push_token", "Input should be hexadecimal", input: .string(token))
        }
        let now = Date()
        let (row, isNew) = withState { state in
            (state.row(of: device, platform: platform), state.register(token, for: device, at: now))
        }
        return .json(
            ["id": .string(row.id), "registered_at": .string(now.hubText)],
            status: isNew ? 201 : 200
        )
    }

    func unregister(_ device: String) throws(HubRefusal) -> PeerAnswer {
        try change { state throws(HubRefusal) in
            guard state.registrations.removeValue(forKey: device) != nil else { throw .registration }
            state.log.append(.pushUnregistered(device: device))
        }
        return PeerAnswer(status: 204, body: .empty)
    }

    /// Sends a push about an event to each device that has a token, and does not wait for it.
    func announce(_ event: HubEvent) {
        guard let pushes else { return }
        let (registrations, camera) = withState { state in
            (
                state.registrations.sorted { $0.key < $1.key },
                state.cameras.first { $0.id == event.cameraID }
            )
        }
        guard !registrations.isEmpty else { return }
        let payload = PushPayload.json(event, camera: camera)
        guard payload.count <= PushPayload.mostBytes else {
            return note(.pushTooLarge(eventID: event.id, bytes: payload.count))
        }
        for (device, registration) in registrations {
            let push = HubPush(
                id: UUID().uuidString.lowercased(),
                token: registration.token,
                eventID: event.id,
                payload: payload
            )
            Task { await deliver(push, to: device, through: pushes) }
        }
    }

    private func deliver(_ push: HubPush, to device: String, through pushes: any HubPushes) async {
        var retry = 0
        // A token that was replaced or withdrawn meanwhile gets nothing more.
        while withState({ $0.registrations[device]?.token }) == push.token {
            switch await pushes.send(push) {
            case .delivered: return note(.pushDelivered(device: device, eventID: push.eventID))
            case .badDeviceToken: return drop(push.token, of: device, deadSince: nil)
            case .unregistered(let time): return drop(push.token, of: device, deadSince: time)
            case .refused: return note(.pushGivenUp(device: device, eventID: push.eventID))
            case .retry(let pause):
                retry += 1
                guard let wait = Self.retries.jitteredWait(beforeRetry: retry, retryAfter: pause),
                    (try? await Task.sleep(for: wait)) != nil
                else { return note(.pushGivenUp(device: device, eventID: push.eventID)) }
                note(.pushRetried(device: device, eventID: push.eventID, retry: retry))
            }
        }
        note(.pushGivenUp(device: device, eventID: push.eventID))
    }

    /// Forgets a token, unless it was registered after the time at which it was dead.
    private func drop(_ token: String, of device: String, deadSince time: Date?) {
        withState { state in
            guard let found = state.registrations[device], found.token == token else { return }
            if let time, found.time > time {
                return state.log.append(.pushTokenKept(device: device, token: token))
            }
            state.registrations[device] = nil
            state.log.append(.pushTokenDropped(device: device, token: token))
        }
    }
}
