/// What somebody may have meant who typed a name that nothing has.
package enum Suggestion {
    /// The known name that needs the fewest changes, unless it needs too many to be meant.
    package static func nearest(to typed: String, among known: [String]) -> String? {
        let limit = max(1, typed.count / 3)
        let distances = known.map { (name: $0, distance: distance(typed.lowercased(), $0.lowercased())) }
        // Of equally near names the first, in the order in which they are listed.
        return distances.min { $0.distance < $1.distance }.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// A sentence that asks, with a blank before it; empty where nothing is near.
    package static func sentence(for typed: String, among known: [String]) -> String {
        nearest(to: typed, among: known).map { " Did you mean “\($0)”?" } ?? ""
    }

    /// How many characters must be inserted, removed, replaced, or exchanged with their neighbour.
    ///
    /// The optimal string alignment distance; quadratic, for names.
    package static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var line = [row + 1]
            for column in second.indices {
                let isSame = first[row] == second[column]
                var best = min(last[column + 1] + 1, line[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, before[column - 1] + 1)
                }
                line.append(best)
            }
            (before, last) = (last, line)
        }
        return last[second.count]
    }
}
