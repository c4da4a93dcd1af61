import Transport

/// A query with what its sender knows already, in as many messages as it takes.
struct Query {
    /// How large a message grows before known answers go on in another: what a packet of Ethernet carries, with room for headers.
    private static let mostBytes = 1_440

    var questions: [DNSQuestion] = []
    var knownAnswers: [ResourceRecord] = []

    /// Messages that each fit a packet; all but the last say that more follow (RFC 6762 section 7.2).
    var messages: [DNSMessage] {
        var all: [DNSMessage] = []
        var current = DNSMessage(isResponse: false)
        // Without compression: no message is larger than it is counted here.
        var count = 12
        for question in questions {
            let size = question.key.name.byteCount + 4
            if count + size > Self.mostBytes {
                all.append(current)
                (current, count) = (DNSMessage(isResponse: false), 12)
            }
            current.questions.append(question)
            count += size
        }
        for record in knownAnswers {
            // The name is that of a question, and mostly a pointer to it; so is the end of what it says.
            let size = 2 + 10 + record.data.canonicalBytes.count
            if count + size > Self.mostBytes {
                current.isTruncated = true
                all.append(current)
                (current, count) = (DNSMessage(isResponse: false), 12 + record.name.byteCount)
            }
            current.answers.append(record)
            count += size
        }
        all.append(current)
        return all
    }
}
