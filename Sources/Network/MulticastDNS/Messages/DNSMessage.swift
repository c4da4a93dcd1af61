/// A question of a query.
package struct DNSQuestion: Sendable, Hashable {
    package var key: RecordKey
    /// Whether the answer may come to the one who asks alone (RFC 6762 section 5.4).
    package var wantsUnicast: Bool

    package init(_ key: RecordKey, wantsUnicast: Bool = false) {
        (self.key, self.wantsUnicast) = (key, wantsUnicast)
    }
}

/// A message of multicast DNS: a query or a response (RFC 1035 section 4.1, RFC 6762 section 18).
package struct DNSMessage: Sendable, Hashable {
    /// The most bytes of a message, so that a packet with its headers has 9,000 (RFC 6762 section 17).
    package static let mostBytes = 8_952

    /// 0 but for queries of ordinary resolvers, whose answer repeats it.
    package var id: UInt16 = 0
    package var isResponse: Bool
    /// Whether more known answers follow in another message.
    package var isTruncated = false
    package var questions: [DNSQuestion] = []
    package var answers: [ResourceRecord] = []
    /// What a probe proposes.
    package var authorities: [ResourceRecord] = []
    package var additionals: [ResourceRecord] = []

    package init(isResponse: Bool) { self.isResponse = isResponse }

    /// All records that a response states, whichever section they are in.
    package var statements: [ResourceRecord] { answers + additionals }
}
