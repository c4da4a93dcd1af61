import Glibc
import PeerKit
import Services

/// What goes on in a drawn scene at one time, and where: what is drawn and what is said of it are both read from here.
///
/// Time is cut into acts of ten seconds; what happens in an act is drawn from the scene's seed and the act's number.
struct SceneMoment {
    /// The length of an act in milliseconds.
    static let act = 10_000

    let scene: DrawnScene
    /// Milliseconds since the camera connected.
    let time: Int
    private let script: Act

    init(_ scene: DrawnScene, _ time: Duration) {
        self.scene = scene
        self.time = Int(time.nanoseconds / 1_000_000)
        script = Act(scene, self.time / Self.act)
    }

    /// Where something happens; `nil` when it does not.
    ///
    /// Something that is on its way may be outside of the picture.
    func box(of happening: Happening) -> Box? {
        switch happening {
        case .petWalks: walkingPet
        case .petSleeps: script.petSleeps ? Box(520, 402, 130, 60) : nil
        case .ballBounces: ball
        case .lampShines: script.isFirstChoice ? Box(880, 262, 150, 120) : nil
        case .visitorWaits: visitor
        case .parcelLies: parcel
        case .carPasses: car
        case .rainFalls: script.isRaining ? Box(420, 200, 440, 320) : nil
        }
    }

    /// The middle of what happens, as far as nothing stands before it; `nil` when it does not happen or is hidden.
    func middle(of happening: Happening) -> (x: Double, y: Double)? {
        guard let box = box(of: happening) else { return nil }
        let x = box.x + box.width / 2
        // A car that is half behind the house is gone.
        if happening == .carPasses, x >= Self.cornerOfHouse { return nil }
        return (x, box.y + box.height / 2)
    }

    /// Where the house begins behind which cars drive.
    static let cornerOfHouse = 660.0

    /// Whether what walks or drives goes from left to right.
    var goesRight: Bool { script.goesRight }

    /// Steps of a walk, eight of them a pair of paces.
    var step: Int { time / 90 % 8 }

    /// Milliseconds since the act began.
    private var now: Int { time % Self.act }

    /// How far a span of the act has come, 0…1; `nil` outside of it.
    private func progress(from start: Int, lasting length: Int) -> Double? {
        guard now >= start, now < start + length else { return nil }
        return Double(now - start) / Double(length)
    }

    /// The place of something on its way over the whole width.
    private func passage(_ progress: Double, width: Double) -> Double {
        let path = View.width + 2 * width
        return goesRight ? progress * path - width : View.width - progress * path
    }

    private var walkingPet: Box? {
        guard script.petWalks else { return nil }
        return progress(from: script.start, lasting: 7_600).map { part in
            Box(passage(part, width: 170), 536, 170, 112)
        }
    }

    private var ball: Box? {
        guard script.isSecondChoice, let part = progress(from: script.start / 2 + 2_000, lasting: 5_000)
        else {
            return nil
        }
        // Six bounces, each lower than the one before.
        let bounce = part * 6
        let share = bounce - bounce.rounded(.down)
        let height = 150 * (1 - part) * 4 * share * (1 - share)
        return Box(passage(part, width: 52), 618 - height, 52, 52)
    }

    private var visitor: Box? {
        guard script.petWalks, let part = progress(from: script.start, lasting: 8_000) else { return nil }
        // To the door in a quarter of the time, and back as fast.
        let away = max(0, 1 - 4 * part, 4 * part - 3)
        return Box(600 - 760 * away, 250, 120, 400)
    }

    /// Whether the visitor stands still.
    var isVisitorWaiting: Bool {
        progress(from: script.start, lasting: 8_000).map { (0.25..<0.75).contains($0) } ?? false
    }

    /// Whether the visitor is on the way back.
    var isVisitorLeaving: Bool { progress(from: script.start, lasting: 8_000).map { $0 >= 0.75 } ?? false }

    private var parcel: Box? {
        script.isFirstChoice ? Box(846, 543, 92, 68) : nil
    }

    private var car: Box? {
        guard script.isSecondChoice else { return nil }
        return progress(from: script.start / 2 + 3_000, lasting: 3_600).map { part in
            Box(passage(part, width: 190), 378, 190, 76)
        }
    }
}

/// What happens in ten seconds of a scene.
private struct Act {
    /// When a walk begins, in milliseconds of the act.
    let start: Int
    let goesRight: Bool
    /// Whether an animal or a visitor comes.
    let petWalks: Bool
    let petSleeps: Bool
    /// Lamp or parcel.
    let isFirstChoice: Bool
    /// Ball or car.
    let isSecondChoice: Bool
    let isRaining: Bool

    init(_ scene: DrawnScene, _ number: Int) {
        func chance(_ number: Int, _ salt: Int) -> SeededNumbers {
            let words = [scene.place.rawValue, scene.seed, number, salt]
            return SeededNumbers(
                seed: words.reduce(0x5CE7E) { mixed, word in
                    var numbers = SeededNumbers(seed: mixed ^ UInt64(truncatingIfNeeded: word))
                    return numbers.next()
                }
            )
        }
        var numbers = chance(number, 1)
        start = .random(in: 300...1_800, using: &numbers)
        goesRight = .random(using: &numbers)
        // Somebody comes in the first act, so that a newcomer does not look at an empty scene.
        let isWalk = number == 0 || Int.random(in: 0..<10, using: &numbers) < 6
        petWalks = isWalk
        petSleeps = !isWalk && Int.random(in: 0..<10, using: &numbers) < 6
        isFirstChoice = Int.random(in: 0..<10, using: &numbers) < 5
        isSecondChoice = Int.random(in: 0..<10, using: &numbers) < 4
        // Rain lasts for three acts.
        var weather = chance(number / 3, 2)
        isRaining = Int.random(in: 0..<10, using: &weather) < 3
    }
}
