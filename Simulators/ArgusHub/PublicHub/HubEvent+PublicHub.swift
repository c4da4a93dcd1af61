import Foundation
import PeerKit

extension HubEvent {
    /// As the public hub sends it; the camera's name is null where the camera is not among these.
    func publicJSON(_ cameras: [HubCamera]) -> JSONValue {
        let isKnown = Self.smartTypes.contains(detectionType)
        // Written once for all members that have it: a calendar is slow.
        let time = timestamp.hubText
        let path: JSONValue =
            switch thumbnail {
            case .drawn: .string("/api/v1/thumbnails/\(time.prefix(10))/\(PercentCoding.encode(fileName))")
            case .absent: .null
            case .at(let text): .string(text)
            }
        let objects = ["person", "vehicle", "animal", "package"]
        let fields: [String: JSONValue] = [
            "id": .string(id), "camera_id": .string(cameraID),
            "camera_name": .optional(cameras.first { $0.id == cameraID }?.name),
            "timestamp": .string(time), "created_at": .string(time),
            "description": .string(description), "confidence": 90,
            "objects_detected": [.string(objects.contains(detectionType) ? detectionType : "unknown")],
            "smart_detection_type": isKnown ? .string(detectionType) : .null,
            "is_doorbell_ring": .bool(detectionType == "ring"), "alert_triggered": false,
            "source_type": "rtsp", "thumbnail_path": path, "thumbnail_base64": nil,
            "analysis_mode": "single_frame",
        ]
        return .object(extras.isEmpty ? fields : fields.merging(extras) { $1 })
    }

    /// What the public hub says of detections; of others nothing.
    private static let smartTypes = ["person", "vehicle", "package", "animal", "motion", "ring"]

    /// The folder of the event's picture: its day in UTC.
    var day: String { String(timestamp.hubText.prefix(10)) }

    /// The file of the event's picture.
    var fileName: String { "event_\(id).jpg" }
}
