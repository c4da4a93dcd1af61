/// The actions that a page has sent, by their numbers, so that one that is sent again is not done again.
///
/// A page sends an action again when it has lost the socket before the answer came. Those that are under way are all known;
/// of those that are done the last ``limit``, more than a page leaves without an answer.
struct RecentActions {
    /// What became of an action.
    enum Progress: Hashable {
        case underWay, done
    }

    /// The most actions that are remembered after their end.
    static let limit = 256

    private var progress: [Int: Progress] = [:]
    /// The oldest first.
    private var finished: [Int] = []

    /// The number of actions under way.
    var underWay: Int { progress.count - finished.count }

    /// What became of the action of that number; `nil` for one that is not known.
    subscript(id: Int) -> Progress? { progress[id] }

    /// Notes that an action begins, which is not known yet.
    mutating func begin(_ id: Int) { progress[id] = .underWay }

    /// Notes the end of an action that has begun.
    mutating func finish(_ id: Int) {
        progress[id] = .done
        if finished.count == Self.limit { progress[finished.removeFirst()] = nil }
        finished.append(id)
    }
}
