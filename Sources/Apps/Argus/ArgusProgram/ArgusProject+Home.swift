import ArgusHub
import Foundation

extension ArgusProject {
    /// What one may see around a house: the camera, the kind and the words of an event.
    private static let sights = [
        ("cam_front", "person", "A person in a dark coat comes up to the house with a bag."),
        ("cam_drive", "vehicle", "A red car stops in the driveway. Nobody gets out yet."),
        ("cam_garden", "animal", "A cat walks along the wall and looks at the camera for a while."),
        ("cam_front", "package", "A parcel the size of a shoe box is left on the mat."),
        ("cam_garden", "motion", "Branches move in the wind; nobody is in the garden."),
        ("cam_drive", "person", "Two persons walk by on the pavement and do not stop."),
        ("cam_front", "ring", "Somebody has rung the bell and waits."),
    ]

    /// The hub of a home whose secrets are of this run alone.
    static func home(_ choices: RunningArgus.Choices) -> ArgusProject {
        var project = ArgusProject(
            hubID: "hub-of-this-home",
            events: past(choices.events, before: Date()),
            adminToken: random(),
            signingSecret: random()
        )
        if let lifetime = choices.tokenLifetime { project.tokenLifetime = lifetime }
        if choices.eventInterval > 0 {
            // Each rule has its turn.
            project.rules = sights.indices.map { index in
                let (camera, kind, words) = sights[index]
                let interval = choices.eventInterval * Double(sights.count) * (1 + 0.01 * Double(index))
                return HubRule(
                    .every(.seconds(interval)),
                    cameraID: camera,
                    detectionType: kind,
                    description: words
                )
            }
        }
        return project
    }

    /// Events up to a time, the last of them a minute before it; one of a camera that is gone, of a kind that no app knows, and without a picture.
    private static func past(_ count: Int, before now: Date) -> [HubEvent] {
        let seconds = now.timeIntervalSince1970
        return (0..<count).map { number in
            let (camera, kind, words) = sights[number % sights.count]
            let age = Double(count - number)
            var event = HubEvent(
                id: "evt_\(number + 1)",
                cameraID: camera,
                timestamp: Date(timeIntervalSince1970: (seconds - 60 * age * age.squareRoot()).rounded()),
                detectionType: kind,
                description: words
            )
            if number == count - 4 {
                (event.cameraID, event.detectionType, event.thumbnail) = ("cam_attic", "balloon", .absent)
                event.description = "Something round floats past the window of the attic."
            }
            return event
        }
    }

    /// 128 bits of the system's generator, in hexadecimal.
    private static func random() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }
}
