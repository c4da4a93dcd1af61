import Foundation
import PeerKit

/// All that the simulated hub knows.
struct HubState: ~Copyable {
    /// The push token of a device.
    struct Registration: Sendable {
        let token: String
        let time: Date
    }

    /// A device that the hub knows.
    struct Row: Sendable {
        /// The hub's own ID, a UUID in small letters.
        let id: String
        let created: Date
        var name: String?
        var platform: String?
    }

    var log = BoundedLog<ArgusHubEvent>(capacity: 100_000)
    var requestCount = 0
    var codes: PairingCodes
    var refreshTokens: RefreshTokens
    /// By the IDs of devices, as `registrations`.
    var rows: [String: Row] = [:]
    var registrations: [String: Registration] = [:]
    var cameras: [HubCamera]
    var events: EventList
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
        let (dialect, cameras) = (project.dialect, project.cameras)
        events = EventList { dialect == .seed ? $0.json : $0.publicJSON(cameras) }
        rules = RuleClock(project.rules)
        for event in project.events { events.add(event) }
    }

    /// The row of a device, which is made where there is none; what is given is kept in it.
    mutating func row(of device: String, name: String? = nil, platform: String? = nil) -> Row {
        var row = rows[device] ?? Row(id: UUID().uuidString.lowercased(), created: Date())
        row.name = name ?? row.name
        row.platform = platform ?? row.platform
        rows[device] = row
        return row
    }

    /// Gives a device a push token, which no other device has afterwards, and says whether it had none.
    mutating func register(_ token: String, for device: String, at now: Date) -> Bool {
        for (other, found) in registrations where found.token == token && other != device {
            registrations[other] = nil
        }
        let isNew = registrations[device] == nil
        registrations[device] = Registration(token: token, time: now)
        log.append(.pushRegistered(device: device, token: token))
        return isNew
    }

    /// Forgets a device with all that it has, and says whether it was known.
    mutating func removeDevice(_ device: String) -> Bool {
        guard rows.removeValue(forKey: device) != nil else { return false }
        if registrations.removeValue(forKey: device) != nil {
            log.append(.pushUnregistered(device: device))
        }
        log.append(.revoked(device: device, count: refreshTokens.revokeAll(of: device)))
        return true
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
