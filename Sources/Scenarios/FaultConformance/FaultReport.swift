/// How an implementation did in a suite while its world failed.
public struct FaultReport: Sendable, Hashable, CustomStringConvertible {
    /// One case, over all seeds.
    public struct Entry: Sendable, Hashable {
        /// The identifier of the case.
        public let id: String
        /// How often it passed.
        public internal(set) var passed = 0
        /// How often it gave up, by the error that it gave up with.
        public internal(set) var gaveUp: [String: Int] = [:]
        /// How often it was skipped, by the reason.
        public internal(set) var skipped: [String: Int] = [:]
        /// What it did wrong, in the order of the seeds.
        public internal(set) var wrongs: [Wrong] = []
    }

    /// Something that no implementation may do, whatever fails.
    public struct Wrong: Sendable, Hashable, CustomStringConvertible {
        /// The identifier of the case.
        public var id: String
        /// The seed of the simulation, which brings it about again.
        public var seed: UInt64
        /// What was required, and what was seen.
        public var saw: String

        /// One line for people.
        public var description: String { "\(id), seed \(seed): \(saw)" }
    }

    /// The cases, in the order of the suite.
    public let entries: [Entry]

    /// All that went wrong, in the order of cases and seeds.
    public var wrongs: [Wrong] { entries.flatMap(\.wrongs) }

    /// Cases that were tried and have never passed, or have never given up: faults decide all of them, or nothing.
    public var oneSided: [String] {
        entries.filter { $0.skipped.isEmpty && ($0.passed == 0) != $0.gaveUp.isEmpty }.map(\.id)
    }

    /// A line for each case, and one for all that went wrong.
    public var description: String {
        let lines = entries.map { entry in
            let reasons = entry.skipped.keys.sorted().map { ", skipped: \($0)" }.joined()
            let gaveUp = entry.gaveUp.values.reduce(0, +)
            return
                "\(entry.id): \(entry.passed) passed, \(gaveUp) gave up, \(entry.wrongs.count) wrong\(reasons)"
        }
        return (lines + wrongs.map(\.description)).joined(separator: "\n")
    }
}
