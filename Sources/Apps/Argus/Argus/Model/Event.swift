public import Foundation

/// Something that a camera has seen, as the hub describes it.
///
/// Further members of the hub's answer are passed over.
public struct Event: Codable, Hashable, Sendable, Identifiable {
    /// What the hub calls it: any text, compared as it is.
    public var id: String
    /// The camera, by its ``Camera/id``.
    public var cameraID: String
    /// When it was.
    public var timestamp: Date
    /// What was seen.
    public var detectionType: DetectionType
    /// What was seen, in the words of the hub's model.
    public var description: String
    /// Where its picture is: an address, or a path at the hub; `nil` where there is none.
    public var thumbnailURL: String?

    /// Makes a value of its parts.
    public init(
        id: String,
        cameraID: String,
        timestamp: Date,
        detectionType: DetectionType,
        description: String,
        thumbnailURL: String? = nil
    ) {
        (self.id, self.cameraID, self.timestamp) = (id, cameraID, timestamp)
        (self.detectionType, self.description, self.thumbnailURL) = (detectionType, description, thumbnailURL)
    }

    private enum CodingKeys: String, CodingKey {
        case id, timestamp, description
        case cameraID = "camera_id"
        case detectionType = "detection_type"
        case thumbnailURL = "thumbnail_url"
    }

    /// Reads the hub's form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(String.self, forKey: .id)
        cameraID = try fields.decode(String.self, forKey: .cameraID)
        let written = try fields.decode(String.self, forKey: .timestamp)
        guard let date = HubTime.date(written), !id.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .timestamp,
                in: fields,
                debugDescription: "an event has a name and an instant of ISO 8601"
            )
        }
        timestamp = date
        detectionType = try fields.decodeIfPresent(DetectionType.self, forKey: .detectionType) ?? .other
        description = try fields.decodeIfPresent(String.self, forKey: .description) ?? ""
        thumbnailURL = try fields.decodeIfPresent(String.self, forKey: .thumbnailURL)
    }

    /// Writes the hub's form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(cameraID, forKey: .cameraID)
        try fields.encode(HubTime.text(timestamp), forKey: .timestamp)
        try fields.encode(detectionType, forKey: .detectionType)
        try fields.encode(description, forKey: .description)
        try fields.encodeIfPresent(thumbnailURL, forKey: .thumbnailURL)
    }
}

/// What a camera has seen; a hub may know kinds that this app does not.
public struct DetectionType: RawRepresentable, Codable, Hashable, Sendable {
    /// The hub's word.
    public var rawValue: String

    /// Takes any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A person.
    public static let person: DetectionType = DetectionType(rawValue: "person")
    /// A vehicle.
    public static let vehicle: DetectionType = DetectionType(rawValue: "vehicle")
    /// An animal.
    public static let animal: DetectionType = DetectionType(rawValue: "animal")
    /// A parcel.
    public static let package: DetectionType = DetectionType(rawValue: "package")
    /// Something that moves.
    public static let motion: DetectionType = DetectionType(rawValue: "motion")
    /// Somebody who rings.
    public static let ring: DetectionType = DetectionType(rawValue: "ring")
    /// The hub says nothing.
    public static let other: DetectionType = DetectionType(rawValue: "other")

    /// What it is shown by.
    public var icon: EventIcon { EventIcon(rawValue: rawValue) ?? .generic }
}

/// The pictures that stand for kinds of events.
public enum EventIcon: String, Codable, Hashable, Sendable, CaseIterable {
    case person, vehicle, animal, package, motion, ring
    /// For all that has none of its own.
    case generic
}
