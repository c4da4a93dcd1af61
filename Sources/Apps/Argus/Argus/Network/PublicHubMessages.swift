internal import Foundation

/// The body of `POST …/mobile/auth/pair`.
struct CodeRequest: Encodable, Sendable {
    let deviceID: String
    let platform: String
    let deviceName: String

    private enum CodingKeys: String, CodingKey {
        case platform
        case deviceID = "device_id"
        case deviceName = "device_name"
    }
}

/// A code for the person.
struct CodeResponse: Decodable, Sendable {
    let code: String
    /// Seconds for which it can be used.
    let expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case code
        case expiresIn = "expires_in"
    }
}

/// How a code stands; one that the hub does not know has expired.
struct CodeStatus: Decodable, Sendable {
    let confirmed: Bool
    let expired: Bool
}

/// The body of `POST …/mobile/auth/exchange`.
struct CodeExchange: Encodable, Sendable {
    let code: String
}

/// The body of `POST …/devices`.
struct DeviceRegistration: Encodable, Sendable {
    let deviceID: String
    let platform: String
    let name: String
    let token: String

    private enum CodingKeys: String, CodingKey {
        case platform, name
        case deviceID = "device_id"
        case token = "push_token"
    }
}

/// A page of events of the public hub.
struct PublicHubPage: Decodable, Sendable {
    let events: [PublicHubEvent]
    let total: Int

    private enum CodingKeys: String, CodingKey {
        case events
        case total = "total_count"
    }
}

/// An event as the public hub sends it, with some sixty further members.
struct PublicHubEvent: Decodable, Sendable {
    /// The event as the app knows it.
    let event: Event

    private enum CodingKeys: String, CodingKey {
        case id, timestamp, description
        case cameraID = "camera_id"
        case smartType = "smart_detection_type"
        case isRing = "is_doorbell_ring"
        case objects = "objects_detected"
        case thumbnailPath = "thumbnail_path"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let id = try fields.decode(String.self, forKey: .id)
        let written = try fields.decode(String.self, forKey: .timestamp)
        guard let timestamp = HubTime.date(written), !id.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .timestamp,
                in: fields,
                debugDescription: "an event has a name and an instant of ISO 8601"
            )
        }
        event = Event(
            id: id,
            cameraID: try fields.decode(String.self, forKey: .cameraID),
            timestamp: timestamp,
            detectionType: Self.type(in: fields),
            description: try fields.decodeIfPresent(String.self, forKey: .description) ?? "",
            thumbnailURL: try fields.decodeIfPresent(String.self, forKey: .thumbnailPath)
        )
    }

    /// What was detected: in the words of the camera, else by the bell or by the hub's own eyes.
    private static func type(in fields: KeyedDecodingContainer<CodingKeys>) -> DetectionType {
        if let word = try? fields.decode(String.self, forKey: .smartType), !word.isEmpty {
            return DetectionType(rawValue: word)
        }
        if (try? fields.decode(Bool.self, forKey: .isRing)) == true { return .ring }
        let seen = (try? fields.decode([String].self, forKey: .objects))?.first { $0 != "unknown" }
        return seen.map { DetectionType(rawValue: $0) } ?? .other
    }
}
