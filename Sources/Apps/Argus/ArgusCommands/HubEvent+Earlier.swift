import ArgusHub
import Foundation

extension HubEvent {
    /// So many events of the time before a hub was started, one each 40 seconds, the newest first.
    static func earlier(_ count: Int, before now: Date = Date()) -> [HubEvent] {
        let seen: [(type: String, text: String)] = [
            ("person", "A person comes up the path."), ("vehicle", "A car stops in the drive."),
            ("animal", "A cat crosses the garden."), ("package", "Somebody leaves a parcel."),
            ("motion", "Something moved."), ("ring", "Somebody rings."),
        ]
        let cameras = HubCamera.house
        return (0..<count).map { number in
            let (kind, camera) = (seen[number % seen.count], cameras[number % cameras.count])
            return HubEvent(
                id: "evt_\(count - number)",
                cameraID: camera.id,
                timestamp: now - 40 * Double(number + 1),
                detectionType: kind.type,
                description: kind.text
            )
        }
    }
}
