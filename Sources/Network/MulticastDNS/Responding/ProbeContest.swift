/// Decides who gets a name that two ask for at the same time (RFC 6762 section 8.2).
enum ProbeContest {
    enum Outcome: Sendable, Hashable {
        /// Both say the same, as copies of one message do.
        case same
        case won
        case lost
    }

    /// Compares what both propose for one name: in order, the later records win, and more win over fewer.
    static func outcome(own: [ResourceRecord], other: [ResourceRecord]) -> Outcome {
        let (own, other) = (sorted(own), sorted(other))
        if own == other { return .same }
        return own.lexicographicallyPrecedes(other) { $0.lexicographicallyPrecedes($1) } ? .lost : .won
    }

    /// Type and bytes of each record; all are of one class.
    private static func sorted(_ records: [ResourceRecord]) -> [[UInt8]] {
        let bytes = records.map { record in
            let type = record.data.type.rawValue
            return [UInt8(type >> 8), UInt8(truncatingIfNeeded: type)] + record.data.canonicalBytes
        }
        return bytes.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
