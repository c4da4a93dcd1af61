import PeerKit

/// What a push says about an event.
enum PushPayload {
    /// The most bytes that APNs takes.
    ///
    /// Source: Apple, "Generating a remote notification".
    static let mostBytes = 4096

    static func json(_ event: HubEvent, camera: HubCamera?) -> [UInt8] {
        let alert: JSONValue = [
            "title": .string(title(event.detectionType)), "body": .string(camera?.name ?? event.cameraID),
        ]
        let payload: JSONValue = [
            "aps": ["alert": alert, "sound": "default"], "event_id": .string(event.id),
        ]
        return payload.json
    }

    private static func title(_ detectionType: String) -> String {
        switch detectionType {
        case "motion": "Motion Detected"
        case "person": "Person Detected"
        case "vehicle": "Vehicle Detected"
        case "package": "Package Detected"
        case "animal": "Animal Detected"
        case "ring": "Doorbell Ring"
        default: "Event Detected"
        }
    }
}
