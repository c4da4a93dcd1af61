import Foundation
import PeerKit
import Transport

extension ArgusHub {
    /// Answers a call of the hub's own web page, or of a script.
    func administer(_ call: HubCall, _ id: String, _ content: JSONValue?) throws(HubRefusal) -> PeerAnswer {
        switch call {
        case .confirm: return try confirm(HubFields(content))
        case .pending: return pending()
        case .reject:
            try change { state throws(HubRefusal) in try state.codes.reject(id, at: .now) }
            return .json(["message": "Pairing rejected"])
        case .removeEvent:
            guard withState({ $0.removeEvent(id) }) else { throw .event(id) }
            return PeerAnswer(status: 204, body: .empty)
        default: return try addEvent(HubFields(content))
        }
    }

    // `{camera_id, description, timestamp?, detection_type?, id?, …}` → 201 and the event
    private func addEvent(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let camera = try fields.text("camera_id")
        let description = try fields.text("description", length: 1...5000)
        let detection = try fields.optionalText("detection_type") ?? "motion"
        let id = try fields.optionalText("id")
        let time = try fields.optionalText("timestamp")
        guard let date = time.map({ Self.date($0) }) ?? Date() else {
            throw .schema("body", "timestamp", "Input should be a valid datetime", input: .optional(time))
        }
        let own: Set = ["camera_id", "description", "detection_type", "id", "timestamp"]
        let event = HubEvent(
            id: id ?? withState { $0.events.freshID() },
            cameraID: camera,
            timestamp: date,
            detectionType: detection,
            description: description,
            extras: fields.others(than: own)
        )
        add(event)
        // The public hub does not join the camera's name here.
        return .json(project.dialect == .seed ? event.json : event.publicJSON([]), status: 201)
    }

    /// An instant with or without a fraction; one without a zone is UTC.
    private static func date(_ text: String) -> Date? {
        let zoned = text.contains(/(?:Z|[+-]\d\d:?\d\d)$/) ? text : text + "Z"
        return (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(zoned))
            ?? (try? Date.ISO8601FormatStyle().parse(zoned))
    }
}
