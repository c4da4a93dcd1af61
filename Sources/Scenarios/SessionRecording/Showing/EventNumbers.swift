import GRDB

/// Which row of a recording each event of its screens is.
///
/// A whole recording has them in rows from 1 on. One that has lost its beginning has single states from before, and then all.
struct EventNumbers: Sendable {
    /// The rows of states from before the beginning, in order.
    private var earlier: [Int64] = []
    /// The row of the first event since the beginning; `nil` before one is known.
    private var first: Int64?

    /// The most states that can be from before: one of each screen.
    private static let mostEarlier = 64

    /// Takes a row that comes next.
    ///
    /// - Parameter start: When the recording begins, in nanoseconds.
    mutating func pass(_ row: Row, from start: Int64) throws(UnusableValue) {
        guard first == nil else { return }
        let number = try row.integer("id", in: 1...SessionFormat.counts.upperBound)
        if try row.integer("nanoseconds", in: SessionFormat.times) < start {
            guard earlier.count < Self.mostEarlier else {
                throw UnusableValue(column: "nanoseconds", wanted: "a time since its beginning")
            }
            earlier.append(number)
        } else {
            first = start > 0 ? number : 1
        }
    }

    /// The row of an event, from 1 on; that of 0 is before all.
    func row(of event: Int) -> Int64 {
        guard event > 0 else { return 0 }
        if event <= earlier.count { return earlier[event - 1] }
        return (first ?? (earlier.last ?? 0) + 1) + Int64(event - earlier.count - 1)
    }

    /// The event in a row.
    func event(in row: Int64) -> Int {
        if let index = earlier.firstIndex(where: { $0 >= row }) { return index + 1 }
        return earlier.count + 1 + Int(row - (first ?? row))
    }
}
