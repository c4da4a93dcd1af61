import Services
import Testing

@testable import MulticastDNS

@Suite("Names to try next")
struct NameChoiceTests {
    @Test func `instances and hosts are counted on`() {
        #expect(NameChoice.next(afterInstance: "Kitchen") == "Kitchen (2)")
        #expect(NameChoice.next(afterInstance: "Kitchen (9)") == "Kitchen (10)")
        #expect(NameChoice.next(afterInstance: "Kitchen (1)") == "Kitchen (1) (2)")
        #expect(NameChoice.next(afterHost: "hub") == "hub-2")
        #expect(NameChoice.next(afterHost: "hub-2") == "hub-3")
    }

    @Test func `a long name is cut between characters so that the number fits`() {
        let long = String(repeating: "ü", count: 31)
        let next = NameChoice.next(afterInstance: long)
        #expect(next.utf8.count <= 63 && next.hasSuffix("ü (2)"))
    }

    @Test func `a host has letters, digits and single hyphens`() {
        #expect(NameChoice.host("My Hub_ä.local") == "My-Hub-local")
        #expect(NameChoice.host("…") == "host")
        #expect(NameChoice.host(String(repeating: "a", count: 99)).count == 40)
    }
}
