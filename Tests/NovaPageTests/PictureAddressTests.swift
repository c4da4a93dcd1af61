import ServiceClient
import Testing

@testable import NovaPage

@Suite("Addresses of pictures")
struct PictureAddressTests {
    private func isTaken(_ text: String, beside nova: String) -> Bool {
        PictureAddress(text, beside: ServiceAddress(nova)) != nil
    }

    @Test(
        "beside a Nova that everybody reaches nobody has a page ask for what only this machine or its network can",
        arguments: [
            "https://localhost/a", "https://a.localhost/a", "https://127.0.0.1/a", "https://127.1/a",
            "https://0x7f000001/a",
            "https://2130706433/a", "https://10.1.2.3/a", "https://172.16.0.1/a", "https://192.168.1.1/a",
            "https://169.254.1.1/a",
            "https://100.64.0.1/a", "https://0.0.0.0/a", "https://[::1]/a", "https://printer.local/a",
            "https://LOCALHOST.:8080/a",
            "https://224.0.0.1/a",
        ]
    )
    func local(_ address: String) {
        #expect(!isTaken(address, beside: "https://nova.example"))
        #expect(isTaken(address, beside: "http://127.0.0.1:8080"))
    }

    @Test(
        "a picture may be on another host than Nova, by https, or by http where Nova is reached so",
        arguments: [("https", true), ("http", false)]
    )
    func elsewhere(_ scheme: String, _ isTaken: Bool) {
        for host in ["images.example", "images.example:9000", "8.8.8.8", "172.32.0.1", "100.128.0.1"] {
            #expect(self.isTaken("\(scheme)://\(host)/a?b=c", beside: "https://nova.example") == isTaken)
            #expect(self.isTaken("\(scheme)://\(host)/a?b=c", beside: "http://nova.example"))
        }
        let nova = ServiceAddress("https://nova.example")
        let address = PictureAddress("https://images.example/a%20b?c=%2F", beside: nova)
        #expect(address?.path == "/a%20b?c=%2F" && address?.origin.authority == "images.example")
    }

    @Test(
        "what is no address of http is none",
        arguments: [
            "file:///etc/passwd", "ftp://a/b", "", "a", "https://", "https://a@b/c", "https://a?b", "data:,a",
        ]
    )
    func other(_ address: String) {
        #expect(!isTaken(address, beside: "http://127.0.0.1"))
        #expect(PictureAddress(address, beside: nil) == nil)
    }
}
