import Foundation
import PeerKit
import Testing

@Suite("PeerKit: at the bounds")
struct BoundTests {
    @Test func `hexadecimal digits are two for each byte, the higher first`() {
        #expect(Hexadecimal.encode([0x00, 0x0F, 0xA0, 0x3C, 0xFF]) == "000fa03cff")
        #expect(Hexadecimal.encode([]) == "")
    }

    @Test func `a pattern of a media type admits the whole type before its slash, and no other`() {
        #expect(MediaType("image/png")?.isAdmitted(by: ["image/*"]) == true)
        #expect(MediaType("imagery/png")?.isAdmitted(by: ["image/*"]) == false)
        #expect(MediaType("video/png")?.isAdmitted(by: ["*/*"]) == true)
    }

    @Test func `a byte below sixteen is escaped with two digits`() {
        #expect(PercentCoding.encode("\n\0z") == "%0A%00z")
    }

    @Test func `of two parameters of one name the first counts`() {
        let parameters = MultipartHead.parameters(of: "form-data; name=\"a\"; name=\"b\"")
        #expect(parameters["name"] == "a")
    }

    @Test(arguments: [(16_000, true), (17_000, false)])
    func `the head of a part has a limit, also when it comes at once`(length: Int, isRead: Bool) throws {
        var parser = try MultipartParser(boundary: "b")
        let form = "--b\r\nX: " + String(repeating: "a", count: length) + "\r\n\r\nbytes\r\n--b--"
        if isRead {
            #expect(try parser.feed(Array(form.utf8)).last == .end)
        } else {
            #expect(throws: MultipartParser.Malformed.self) { try parser.feed(Array(form.utf8)) }
        }
    }

    @Test func `a token that is too long is refused, although it is signed`() throws {
        let token = WebToken(secret: "a secret of some length")
        let now = Date(timeIntervalSince1970: 1000)
        for (length, isRead) in [(5000, true), (9000, false)] {
            let claims: [String: JSONValue] = ["sub": .string(String(repeating: "a", count: length))]
            let text = token.sign(claims)
            if isRead {
                #expect(try token.verify(text, now: now) == claims)
            } else {
                #expect(throws: WebToken.Refusal.malformed) { try token.verify(text, now: now) }
            }
        }
    }

    @Test func `a tab in a text is refused unless it is escaped`() throws {
        #expect(throws: JSONMalformed.self) { try JSONValue(json: Array("\"a\tb\"".utf8)) }
        #expect(try JSONValue(json: Array("\"a\\tb\"".utf8)).string == "a\tb")
    }
}
