import Foundation
import PeerKit

/// All that the simulated hub knows.
struct HubState: ~Copyable {
    /// The push token of a device.
    struct Registration: Sendable {
        let id: String
        let token: String
        let platform: String
        let time: Date
    }

    var log = BoundedLog<ArgusHubEvent>(capacity: 100_000)
    var requestCount = 0
    var codes: PairingCodes
    var refreshTokens: RefreshTokens
    /// By the IDs of devices.
    var registrations: [String: Registration] = [:]
    var cameras: [HubCamera]
    var events = EventList()
    var rules: RuleClock
    /// Access tokens that were given, and which of them are revoked: those up to a number.
    var tokenCount = 0
    var revokedTokens = 0

    init(_ project: ArgusProject) {
        codes = PairingCodes(
            lifetime: project.codeLifetime,
            wrongAttemptLimit: project.wrongAttemptLimit
        )
        refreshTokens = RefreshTokens(lifetime: project.refreshLifetime)
        cameras = project.cameras
        rules = RuleClock(project.rules)
        for event in project.events { events.add(event) }
    }

    /// Gives a device a push token, which no other device has afterwards.
    ///
    /// - Returns: The registration, and whether the device had none.
    mutating func register(
        _ token: String,
        platform: String,
        for device: String,
        at now: Date
    ) -> (registration: Registration, isNew: Bool) {
        for (other, found) in registrations where found.token == token && other != device {
            registrations[other] = nil
        }
        let known = registrations[device]
        let registration = Registration(
            id: known?.id ?? UUID().uuidString.lowercased(),
            token: token,
            platform: platform,
            time: now
        )
        registrations[device] = registration
        log.append(.pushRegistered(device: device, token: token))
        return (registration, known == nil)
    }

    mutating func add(_ event: HubEvent) {
        events.add(event)
        log.append(.eventAdded(id: event.id))
    }

    /// Removes an event, and says whether it was there.
    mutating func removeEvent(_ id: String) -> Bool {
        guard events.remove(id) else { return false }
        log.append(.eventRemoved(id: id))
        return true
    }
}
