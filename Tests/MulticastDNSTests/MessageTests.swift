import MulticastDNS
import Testing
import Transport

@Suite("Messages of multicast DNS")
struct MessageTests {
    private let type: DomainName
    private let instance: DomainName
    private let host: DomainName

    init() throws {
        type = try #require(DomainName.local("_http", "_tcp"))
        instance = try #require(type.prefixed(by: Array("Living. Room".utf8)))
        host = try #require(DomainName.local("hub"))
    }

    private var response: DNSMessage {
        var message = DNSMessage(isResponse: true)
        message.answers = [ResourceRecord(type, .pointer(instance), timeToLive: 4_500)]
        message.additionals = [
            ResourceRecord(
                instance,
                .service(priority: 0, weight: 5, port: 8_080, target: host),
                timeToLive: 120,
                flushes: true
            ),
            ResourceRecord(instance, .text(Array("\u{4}id=1".utf8)), timeToLive: 4_500, flushes: true),
            ResourceRecord(host, .address(IPAddress(10, 0, 0, 7)), timeToLive: 120, flushes: true),
            ResourceRecord(host, .address(.loopbackV6), timeToLive: 120, flushes: true),
            ResourceRecord(host, .next(host, types: [1, 28]), timeToLive: 120, flushes: true),
            ResourceRecord(host, .other(RecordType(rawValue: 13), [1, 2, 3]), timeToLive: 1),
        ]
        return message
    }

    @Test func `a message is read as it was written`() throws {
        var query = DNSMessage(isResponse: false)
        query.id = 7
        query.isTruncated = true
        query.questions = [
            DNSQuestion(RecordKey(type, .pointer), wantsUnicast: true), DNSQuestion(RecordKey(host, .any)),
        ]
        query.authorities = [ResourceRecord(host, .address(IPAddress(10, 0, 0, 7)), timeToLive: 120)]
        for message in [response, query] { #expect(DNSMessage(message.encoded) == message) }
    }

    @Test func `names are compressed wherever they stand`() {
        let bytes = response.encoded
        let labels = bytes.indices.filter { bytes[$0...].starts(with: Array("\u{5}local".utf8)) }
        #expect(labels.count == 1)
        // 12 + PTR 48 with the names, SRV 22 with “hub”, TXT 17, A 16, AAAA 28, NSEC 20, other 15.
        #expect(bytes.count < 190)
    }

    @Test func `what a query or a response says of itself is in its flags`() {
        #expect(Array(response.encoded[2..<4]) == [0x84, 0])
        #expect(Array(DNSMessage(isResponse: false).encoded) == [UInt8](repeating: 0, count: 12))
    }

    @Test func `other operations, failures and cut headers are no messages`() {
        let bytes = response.encoded
        for (place, bits) in [(2, UInt8(0x08)), (3, 0x03)] {
            var other = bytes
            other[place] |= bits
            #expect(DNSMessage(other) == nil)
        }
        #expect(DNSMessage(Array(bytes.prefix(11))) == nil)
        #expect(DNSMessage([UInt8](repeating: 0, count: DNSMessage.mostBytes + 1)) == nil)
    }

    @Test func `a record that cannot be read loses none before it, and none after it where its end is known`()
        throws
    {
        let whole = response.encoded
        // Cut anywhere, a message has a beginning of its records.
        for count in 12..<whole.count {
            let cut = try #require(DNSMessage(Array(whole.prefix(count))))
            #expect(response.statements.starts(with: cut.statements))
        }
        // A record of three bytes where an address has four.
        var wrong = DNSMessage(isResponse: true)
        wrong.answers = response.answers
        var bytes = wrong.encoded
        bytes[7] = 3
        bytes += [0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 3, 1, 2, 3]
        bytes += [0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4]
        let read = try #require(DNSMessage(bytes))
        #expect(read.answers.count == 2)
        #expect(read.answers.last?.data == .address(IPAddress(1, 2, 3, 4)))
    }

    @Test func `records of other classes are left out, and the top bit of a class is none of it`() throws {
        let head: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 3, 0, 0, 0, 0]
        let tail: [UInt8] = [0, 0, 0, 9, 0, 4, 1, 2, 3, 4]
        let bytes = head + [0, 0, 1, 0, 3] + tail + [0, 0, 1, 0x80, 1] + tail + [0, 0, 1, 0, 1] + tail
        #expect(try #require(DNSMessage(bytes)).answers.map(\.flushes) == [true, false])
    }

    @Test(arguments: [
        // To itself, forwards, beyond the end, and to a length that has no meaning.
        [0xC0, 12], [0xC0, 14, 0, 0], [0xFF, 0xFF], [0x40, 0x61, 0], [0xC0],
        // Two that point to each other.
        [0xC0, 14, 0xC0, 12],
    ])
    func `a name that leads nowhere is read to no end`(_ name: [UInt8]) throws {
        let head: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let message = try #require(DNSMessage(head + name + [0, 1, 0, 1]))
        #expect(message.questions.isEmpty)
    }

    @Test func `a chain of pointers back is followed, and one without end is not`() throws {
        // A name, then pointers that each lead to the one before.
        func message(_ count: Int) -> [UInt8] {
            var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0]
            bytes += [1, 0x61, 0, 0, 99, 0, 1, 0, 0, 0, 9, UInt8(2 * count >> 8), UInt8(2 * count & 255)]
            var last = 12
            for _ in 0..<count {
                let here = bytes.count
                bytes += [0xC0 | UInt8(last >> 8), UInt8(last & 255)]
                last = here
            }
            return bytes + [
                0xC0 | UInt8(last >> 8), UInt8(last & 255), 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 1, 2, 3, 4,
            ]
        }
        let short = try #require(DNSMessage(message(100)))
        #expect(short.answers.last?.name == DomainName([[0x61]]))
        #expect(try #require(DNSMessage(message(4_000))).answers.count == 1)
    }

    @Test func `a lifetime of more than 31 bits is none`() throws {
        var message = DNSMessage(isResponse: true)
        message.answers = [ResourceRecord(host, .address(.loopbackV4), timeToLive: 0x8000_0000)]
        #expect(DNSMessage(message.encoded)?.answers.first?.timeToLive == 0)
    }
}
