/// What was decided of the frames of a connection, so that each has the same flaws for all who read it.
///
/// It is bounded: frames that are older than the latest reader may be are forgotten.
package struct FlawMemory: Sendable {
    /// The most that is asked of it: readers that are later may see other flaws than those before them.
    package static let mostRoom = 10_000

    private var flaws: [Int: FrameFlaws] = [:]
    private var newest = 0
    private var room = spare
    /// For frames that come while a reader takes the oldest one that has room.
    private static let spare = 64

    /// Remembers nothing.
    package init() {}

    /// How many frames are remembered: at most twice as many as there is room for.
    package var count: Int { flaws.count }

    /// What was decided of a frame; `nil` for one that was not asked for, or is forgotten.
    package subscript(_ number: Int) -> FrameFlaws? { flaws[number] }

    /// Remembers enough for a reader that may be so many frames late.
    package mutating func makeRoom(for limit: Int) {
        room = max(room, min(limit, Self.mostRoom) + Self.spare)
    }

    /// Remembers what was decided of a frame.
    package mutating func note(_ decided: FrameFlaws, of number: Int) {
        flaws[number] = decided
        newest = max(newest, number)
        guard flaws.count > 2 * room else { return }
        let oldest = newest - room
        flaws = flaws.filter { $0.key > oldest }
    }
}
