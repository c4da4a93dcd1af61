import MulticastDNS
import Services
import Testing

@Suite("Attributes and types of services")
struct AttributeTests {
    @Test func `attributes are read as they were written`() {
        let attributes = ServiceAttributes([
            .init(key: "a", value: [0, 255, 61]), .init(key: "b", value: []), .init(key: "c", value: nil),
        ])
        #expect(ServiceAttributes(text: attributes.text) == attributes)
        #expect(ServiceAttributes().text == [0])
        #expect(ServiceAttributes(text: [0]) == ServiceAttributes())
        #expect(attributes.byteCount == attributes.text.count)
    }

    @Test func `the first of a key counts, in any case, and strings without a key are left out`() {
        let text = ["Id=1", "=x", "id=2", "", "ID"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let attributes = ServiceAttributes(text: text)
        #expect(attributes.entries.count == 1)
        #expect(attributes["ID"] == "1" && attributes.contains("iD"))
        #expect(attributes["other"] == nil && !attributes.contains("other"))
    }

    @Test func `bytes that are no text are no text`() {
        let attributes = ServiceAttributes([.init(key: "a", value: [0xFF])])
        #expect(attributes["a"] == nil)
        #expect(attributes.bytes(of: "A") == [0xFF])
    }

    @Test(arguments: ["_http._tcp", "_HTTP._UDP", "_a-1._tcp", "_123456789012345._udp"].dropLast())
    func `a type is read in any case`(_ text: String) throws {
        #expect("\(try #require(ServiceType(text)))" == text.lowercased())
    }

    @Test(arguments: [
        "http._tcp", "_http", "_http._sctp", "_http._tcp.local", "_._tcp", "_-a._tcp", "_a-._tcp",
        "_a--b._tcp",
        "_1234._tcp", "_abcdefghijklmnop._tcp", "_a b._tcp", "",
    ])
    func `what is no type is refused`(_ text: String) { #expect(ServiceType(text) == nil) }

    @Test func `an address is written as a URL has it, unless it needs its zone`() {
        func authority(_ address: String) -> String? {
            ServiceWay(interface: "eth0", address: address, port: 80).authority
        }
        #expect(authority("10.0.0.1") == "10.0.0.1:80")
        #expect(authority("fd00::1") == "[fd00::1]:80")
        #expect(authority("fe80::1%eth0") == nil)
    }
}
