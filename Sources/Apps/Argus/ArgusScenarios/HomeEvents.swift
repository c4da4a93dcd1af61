internal import ArgusHub
internal import Foundation

extension HubEvent {
    /// An event of a home: a later one has a higher number, some have the same time, some a camera that is not listed.
    static func atHome(_ number: Int) -> HubEvent {
        HubEvent(
            id: "evt_\(number)",
            cameraID: ["cam_front", "cam_drive", "cam_gone"][number % 3],
            timestamp: Date(timeIntervalSince1970: 1_767_614_400 + Double(number / 2)),
            detectionType: ["person", "vehicle", "motion"][number % 3],
            description: "Event \(number)",
            // A picture is drawn each time that it is asked for.
            thumbnail: number.isMultiple(of: 16) ? .drawn : .absent
        )
    }
}

extension ArgusHub {
    /// How often a device was paired.
    var pairings: Int { log.count { if case .paired = $0 { true } else { false } } }

    /// Whether it has refused to renew a token since it had so many entries in its log.
    func hasEndedSession(since start: Int) -> Bool {
        log.dropFirst(start).contains {
            if case .refused(let path, 401) = $0 { path.hasSuffix("/auth/refresh") } else { false }
        }
    }
}
