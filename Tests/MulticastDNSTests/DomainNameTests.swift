import MulticastDNS
import Testing

@Suite("Domain names")
struct DomainNameTests {
    private func name(_ labels: String...) throws -> DomainName {
        try #require(DomainName(labels.map { Array($0.utf8) }))
    }

    @Test func `names that differ in the case of ASCII letters alone are equal, and keep their letters`()
        throws
    {
        let (one, other) = try (name("Living. Room", "local"), name("LIVING. room", "Local"))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one.labels != other.labels)
        #expect(try name("ä") != name("Ä"))
    }

    @Test func `a label has at most 63 bytes, a name 255, and no label is empty`() {
        let label = [UInt8](repeating: 0x61, count: 63)
        #expect(DomainName([label]) != nil)
        #expect(DomainName([label + [0x61]]) == nil)
        #expect(DomainName([[]]) == nil)
        // 3 · 64 + 62 + 1 for the end.
        let rest = [UInt8](repeating: 0x61, count: 61)
        #expect(DomainName([label, label, label, rest])?.wire.count == 255)
        #expect(DomainName([label, label, label, rest + [0x61]]) == nil)
    }

    @Test func `dots inside of a label are told from those between labels`() throws {
        #expect(try name("a.b", "local") != name("a", "b", "local"))
        #expect("\(try name("a.b", "local"))" == "a\\.b.local")
    }
}
