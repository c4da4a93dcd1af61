public import PeerKit

/// A camera of the hub.
public struct HubCamera: Sendable, Hashable {
    /// Its identifier, an opaque text.
    public var id: String
    /// What people call it.
    public var name: String
    /// Fields that the hub sends besides, or instead of its own.
    public var extras: [String: JSONValue]

    /// Describes a camera.
    public init(id: String, name: String, extras: [String: JSONValue] = [:]) {
        self.id = id
        self.name = name
        self.extras = extras
    }

    /// The cameras of a hub that is set up with no others.
    public static let house: [HubCamera] = [
        HubCamera(id: "cam_front", name: "Front Door Camera"),
        HubCamera(id: "cam_drive", name: "Driveway Camera"),
        HubCamera(id: "cam_garden", name: "Garden Camera"),
    ]

    /// As the public hub lists it.
    var publicJSON: JSONValue {
        let fields: [String: JSONValue] = [
            "id": .string(id), "name": .string(name), "type": "rtsp", "source_type": "rtsp",
            "is_enabled": true, "is_doorbell": false,
        ]
        return .object(fields.merging(extras) { $1 })
    }

    var json: JSONValue {
        let fields: [String: JSONValue] = ["id": .string(id), "name": .string(name), "is_enabled": true]
        return .object(fields.merging(extras) { $1 })
    }
}
