/// Something that goes on in a drawn scene for a while.
public enum Happening: String, Sendable, Hashable, CaseIterable {
    /// A cat or dog walks past the sofa of the room.
    case petWalks
    /// It sleeps on the sofa.
    case petSleeps
    /// A ball bounces across the room's floor.
    case ballBounces
    /// The room's lamp is on.
    case lampShines
    /// Somebody comes to the front door, waits and leaves.
    case visitorWaits
    /// A parcel lies before the front door.
    case parcelLies
    /// A car drives past the house.
    case carPasses
    /// It rains.
    case rainFalls
}

/// A scene that is drawn by a seed, with what happens in it.
///
/// Everything that is seen depends on the scene and the time since the camera connected, and on nothing else.
public struct DrawnScene: Sendable, Hashable {
    /// What the camera looks at.
    public enum Place: Int, Sendable, Hashable, CaseIterable {
        /// A living room.
        case room
        /// The outside of a house, with its door and the street.
        case frontDoor
    }

    /// So many seeds give scenes of their own; larger ones start over.
    public static let seeds: Int = 4_096

    /// What the camera looks at.
    public let place: Place
    /// Decides colours, furniture and the order of what happens: 0 ..< ``seeds``.
    public let seed: Int

    /// Makes a scene; of the seed only the remainder by ``seeds`` counts.
    public init(_ place: Place, seed: UInt64) {
        self.place = place
        self.seed = Int(seed % UInt64(Self.seeds))
    }

    /// What can happen here.
    public var possible: [Happening] {
        switch place {
        case .room: [.petWalks, .petSleeps, .ballBounces, .lampShines]
        case .frontDoor: [.visitorWaits, .parcelLies, .carPasses, .rainFalls]
        }
    }

    /// What happens so long after the camera connected and is seen without a zoom, in the order of ``possible``.
    ///
    /// - Parameter time: Counted in whole milliseconds; the rest is dropped.
    public func happenings(at time: Duration) -> [Happening] {
        let moment = SceneMoment(self, time)
        return possible.filter { happening in
            moment.middle(of: happening).map { $0.x >= 0 && $0.x < View.width } ?? false
        }
    }
}

extension FakeCamera {
    /// What happens in the frame of that number and is seen without a zoom; nothing in scenes that are not drawn.
    ///
    /// A function of the configuration's scene, seed and rate.
    public func happenings(at number: Int) -> [Happening] {
        configuration.drawnScene?.happenings(at: configuration.period * number) ?? []
    }
}

extension FakeCamera.Configuration {
    /// The scene, where it is a drawn one.
    var drawnScene: DrawnScene? {
        switch scene {
        case .room: DrawnScene(.room, seed: seed)
        case .frontDoor: DrawnScene(.frontDoor, seed: seed)
        case .shapes, .noise, .still, .prepared: nil
        }
    }
}
