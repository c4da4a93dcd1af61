import ServiceClient
import Testing

@Suite("The address of a service")
struct ServiceAddressTests {
    @Test(arguments: [
        ("https://example.org", "https", "example.org", ""),
        (" http://h:8080/api/v1// ", "http", "h:8080", "/api/v1"),
        ("HTTPS://[::1]:80/a", "https", "[::1]:80", "/a"),
    ])
    func `scheme, authority and path are read, without blanks and slashes at the end`(
        _ text: String,
        _ scheme: String,
        _ authority: String,
        _ root: String
    ) throws {
        let address = try #require(ServiceAddress(text))
        #expect(address.scheme == scheme && address.authority == authority && address.root == root)
        #expect(address.description == "\(scheme)://\(authority)\(root)")
    }

    @Test(arguments: [
        "", "example.org", "ftp://example.org", "https://", "https://:80", "https://user@example.org",
        "https://e?q=1",
        "https://e#f", "https://e f", "https://e\r\nHost: x", "https://é",
    ])
    func `anything else is refused`(_ text: String) { #expect(ServiceAddress(text) == nil) }
}
