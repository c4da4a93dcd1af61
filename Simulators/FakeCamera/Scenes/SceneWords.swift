/// What can be said of something that may happen in a drawn scene.
public struct HappeningWords: Sendable, Hashable {
    /// What it is about, such as “cat”.
    public var thing: String
    /// A sentence while it happens.
    public var present: String
    /// A sentence when it has begun since the last look.
    public var begun: String
    /// A sentence when it has ended since.
    public var ended: String
}

extension DrawnScene {
    /// What the place looks like, as the end of a sentence that begins with “I see”.
    public var outline: String {
        let look = SceneLook(self)
        switch place {
        case .room:
            return
                "a living room with a \(look.sofa.name) sofa, \(look.curtain.name) curtains, a clock and full bookshelves"
        case .frontDoor:
            return "the front of a house with a \(look.door.name) door, and the street behind its garden"
        }
    }

    /// What can be said of something that may happen here.
    public func words(for happening: Happening) -> HappeningWords {
        let look = SceneLook(self)
        let pet = "\(look.fur.name) \(look.pet)"
        switch happening {
        case .petWalks:
            return HappeningWords(
                thing: look.pet,
                present: "A \(pet) walks past the sofa.",
                begun: "A \(pet) has come in and walks past the sofa.",
                ended: "The \(look.pet) is no longer walking about."
            )
        case .petSleeps:
            return HappeningWords(
                thing: look.pet,
                present: "A \(pet) is asleep on the sofa.",
                begun: "A \(pet) has curled up on the sofa.",
                ended: "The \(look.pet) has left the sofa."
            )
        case .ballBounces:
            return HappeningWords(
                thing: "ball",
                present: "A \(look.ball.name) ball bounces across the floor.",
                begun: "A \(look.ball.name) ball now bounces across the floor.",
                ended: "The ball is gone."
            )
        case .lampShines:
            return HappeningWords(
                thing: "lamp",
                present: "The lamp is on.",
                begun: "The lamp was switched on.",
                ended: "The lamp was switched off."
            )
        case .visitorWaits:
            return HappeningWords(
                thing: "visitor",
                present: "Somebody in a \(look.coat.name) coat is at the door.",
                begun: "Somebody in a \(look.coat.name) coat has come to the door.",
                ended: "The visitor has left."
            )
        case .parcelLies:
            return HappeningWords(
                thing: "parcel",
                present: "A parcel lies on the doormat.",
                begun: "A parcel now lies on the doormat.",
                ended: "The parcel is gone."
            )
        case .carPasses:
            return HappeningWords(
                thing: "car",
                present: "A \(look.car.name) car drives past.",
                begun: "A \(look.car.name) car is driving past.",
                ended: "The car has driven away."
            )
        case .rainFalls:
            return HappeningWords(
                thing: "rain",
                present: "It is raining.",
                begun: "It has started to rain.",
                ended: "The rain has stopped."
            )
        }
    }

    /// What the clock shows so long after the camera connected, such as “14:05”; `nil` where no clock hangs.
    public func clock(at time: Duration) -> String? {
        guard place == .room else { return nil }
        let minutes = Room.clock(SceneLook(self), at: SceneMoment(self, time)) / 60
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }
}
