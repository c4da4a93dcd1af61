public import Foundation
public import PeerKit

/// What a camera of the hub has seen.
public struct HubEvent: Sendable, Hashable {
    /// Where the event's picture is.
    public enum Thumbnail: Sendable, Hashable {
        /// The hub draws it.
        case drawn
        /// There is none: `thumbnail_url` is null, and the call for it is answered with 404.
        case absent
        /// `thumbnail_url` has this text; the hub draws the picture at the usual path.
        case at(String)
    }

    /// Its identifier, an opaque text such as `evt_123`.
    public var id: String
    /// The camera that saw it, which need not be in the list of cameras.
    public var cameraID: String
    /// When it was seen, to the microsecond.
    public var timestamp: Date
    /// What was seen: `motion`, `person`, `vehicle`, `package`, `animal`, `ring`, or any other text.
    public var detectionType: String
    /// What the hub says about it, in a sentence.
    public var description: String
    /// Where its picture is.
    public var thumbnail: Thumbnail
    /// Fields that the hub sends besides, or instead of its own.
    public var extras: [String: JSONValue]

    /// Describes an event.
    public init(
        id: String,
        cameraID: String = "cam_front",
        timestamp: Date,
        detectionType: String = "motion",
        description: String = "Something moved.",
        thumbnail: Thumbnail = .drawn,
        extras: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.cameraID = cameraID
        self.timestamp = timestamp
        self.detectionType = detectionType
        self.description = description
        self.thumbnail = thumbnail
        self.extras = extras
    }

    var json: JSONValue {
        let address: JSONValue =
            switch thumbnail {
            case .drawn: .string("/api/v1/mobile/events/\(PercentCoding.encode(id))/thumbnail")
            case .absent: .null
            case .at(let text): .string(text)
            }
        let fields: [String: JSONValue] = [
            "id": .string(id), "camera_id": .string(cameraID), "timestamp": .string(timestamp.hubText),
            "detection_type": .string(detectionType), "description": .string(description),
            "thumbnail_url": address,
        ]
        return .object(fields.merging(extras) { $1 })
    }
}

extension Date {
    /// As the hub writes instants: six digits of a fraction, or none for a whole second, and always `Z`.
    package var hubText: String {
        let (seconds, fraction) = Int((timeIntervalSince1970 * 1e6).rounded()).quotientAndRemainder(
            dividingBy: 1_000_000
        )
        // Before 1970 remainders are negative.
        let whole = fraction < 0 ? seconds - 1 : seconds
        let text = Date(timeIntervalSince1970: Double(whole)).formatted(.iso8601)
        guard fraction != 0 else { return text }
        let digits = String((fraction + 1_000_000) % 1_000_000)
        return "\(text.dropLast()).\(String(repeating: "0", count: 6 - digits.count))\(digits)Z"
    }
}
