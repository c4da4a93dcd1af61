import Foundation
import PPPP
import TestSupport
import Testing

@Suite("Codes of cameras")
struct CodeTests {
    private static let id = DeviceID("VSTB-123456-ABCDE")

    private func label(_ text: String) throws -> LabelCode { try LabelCode(Array(text.utf8)) }
    private func wifi(_ text: String) throws -> WiFiCode { try WiFiCode(Array(text.utf8)) }

    // MARK: Labels

    @Test func `a label is read as it is documented, and written so`() throws {
        let text = #"{"ACT":"Add","ID":"VSTB123456ABCDE","WiFi":"21","S":"0"}"#
        let code = try label(text)
        #expect(code.id == Self.id && code.joining == 21 && code.text == text)
        #expect(try label(#"{ "ID" : "vstb-123456-abcde", "new":"?", "ACT":"Add", "WiFi":9 }"#).joining == 9)
        #expect(try label(#"{"ACT":"Add","ID":"VSTB123456ABCDE","WiFi":"A"}"#).joining == 9)
        #expect(try label(#"{"ACT":"Add","ID":"VSTB123456ABCDE"}"#).joining == nil)
    }

    @Test(arguments: [
        ("", CodeError.notAnObject), ("https://example.org", .notAnObject), ("[]", .notAnObject),
        ("{", .notAnObject), (#"{"ACT":["Add"],"ID":"VSTB123456ABCDE"}"#, .notAnObject),
        (#"{"ACT":null,"ID":"VSTB123456ABCDE"}"#, .notAnObject),
        (#"{"ID":"VSTB123456ABCDE"}"#, .missing(field: "ACT")),
        (#"{"ACT":"Del","ID":"VSTB123456ABCDE"}"#, .invalid(field: "ACT", reason: "is not “Add”")),
        (#"{"ACT":"Add"}"#, .missing(field: "ID")),
        (#"{"ACT":"Add","ID":"x"}"#, .invalid(field: "ID", reason: "is no ID such as VSTB-123456-ABCDE")),
        (#"{"ACT":"Add","ID":"VSTB\u0000"}"#, .invalid(field: "ID", reason: "has control characters")),
        (
            #"{"ACT":"Add","ID":"VSTB123456ABCDE","WiFi":"-1"}"#,
            .invalid(field: "WiFi", reason: "is not a number of the vendor's")
        ),
    ])
    func `what is no label says why`(text: String, error: CodeError) {
        #expect(throws: error) { try label(text) }
        #expect(!error.description.isEmpty)
    }

    @Test func `what is too long or no text is refused`() {
        #expect(throws: CodeError.notText) { try LabelCode([0x7B, 0xFF, 0x7D]) }
        #expect(throws: CodeError.tooLong(bytes: 513)) { try LabelCode([UInt8](repeating: 0x7B, count: 513)) }
        #expect(throws: CodeError.notAnObject) { try LabelCode([UInt8](repeating: 0x7B, count: 512)) }
        let fields = (0..<17).map { "\"\($0)\":1" }.joined(separator: ",")
        #expect(throws: CodeError.notAnObject) { try wifi("{\(fields)}") }
    }

    // MARK: Wi-Fi

    @Test func `the whole code has its fields in the documented order, without spaces`() throws {
        let code = try WiFiCode(name: "Home", password: "12345678", router: "aA:bb:cc:dd:ee:ff")
        #expect(code.text == #"{"BS":"aAbbccddeeff","P":"12345678","U":"0","RS":"Home"}"#)
        let other = try WiFiCode(name: "Home", password: "12345678", account: "7", region: 4)
        #expect(other.text == #"{"BS":"NULL","P":"12345678","U":"7","RS":"Home","A":"4"}"#)
    }

    @Test func `the parts are those of the report, and together have what the code has`() throws {
        let code = try WiFiCode(name: "Home", password: "12345678", account: "7", region: 4)
        #expect(
            code.parts.map(\.text) == [
                #"{"BS":"NULL","P":"12345678","U":"","S":"Home"}"#,
                #"{"BS":"NULL","P":"12345678","U":"7","S":"Home"}"#, #"{"BS":"NULL","U":"7","A":"4"}"#,
                #"{"S":"Home","A":"4"}"#, #"{"P":"12345678","A":"4"}"#,
            ]
        )
        var merged = WiFiCode()
        for part in code.parts.suffix(3) {
            #expect(!merged.isComplete && !part.isComplete)
            merged.add(try WiFiCode(Array(part.text.utf8)))
        }
        #expect(merged.isComplete && merged.name == "Home" && merged.password == "12345678")
        #expect(merged.router == "NULL" && merged.account == "7" && merged.region == 4)
    }

    @Test(arguments: [
        (#"a;b"c:d\e"#, #"p;a"s:s\w,o=r&d"#), ("Käse 厨房 🎥", "Pässwörd 厨房"), ("  ", "        "),
        (String(repeating: "ü", count: 16), String(repeating: "0aF9", count: 16)), ("/", #"\\\\"""""#),
    ])
    func `any name and password come back`(name: String, password: String) throws {
        let code = try WiFiCode(name: name, password: password)
        for text in [code.text, code.parts[1].text] {
            let back = try wifi(text)
            #expect(back.name == name && back.password == password && back.text == text)
            // Also by somebody else's parser.
            let json = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(json["P"] == password && (json["RS"] ?? json["S"]) == name)
        }
    }

    @Test(arguments: [
        ("", "12345678", "RS"), (String(repeating: "ü", count: 17), "12345678", "RS"),
        ("a\n", "12345678", "RS"),
        ("a", "1234567", "P"), ("a", String(repeating: "x", count: 64), "P"), ("a", "12345678\u{7F}", "P"),
        ("a", String(repeating: "a", count: 65), "P"), ("a", "", "P"),
    ])
    func `a name or a password that no network has is refused, and not repeated`(
        name: String,
        password: String,
        field: String
    ) {
        let error = #expect(throws: CodeError.self) { try WiFiCode(name: name, password: password) }
        guard case .invalid(field, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(password.count < 7 || !"\(reason) \(String(describing: error))".contains(password))
    }

    @Test(arguments: ["BS": "xyz", "A": "5", "U": String(repeating: "1", count: 65), "S": "", "P": "short"])
    func `a field that cannot be is refused by its name`(field: String, value: String) {
        let error = #expect(throws: CodeError.self) { try wifi("{\"\(field)\":\"\(value)\"}") }
        guard case .invalid(field, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `name and password are in no description`() throws {
        let code = try WiFiCode(name: "the-name", password: "the-password")
        var dumped = ""
        dump(code, to: &dumped)
        let all = "\(code) \(String(reflecting: code)) \(dumped)"
        #expect(!all.contains("the-") && "\(code)" == "<code with BS, P, U, RS>")
    }

    @Test func `a code that is damaged anywhere is an error or another code, and nothing worse`() throws {
        var generator = SeededGenerator(seed: 8)
        let texts =
            [LabelCode(id: try #require(Self.id), joining: 21).text]
            + (try WiFiCode(name: "a\"ü", password: "p\\assword", region: 2)).parts.map(\.text)
        var read = 0
        for _ in 0..<4_000 {
            var bytes = Array(texts.randomElement(using: &generator)!.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                }
            }
            if let code = try? LabelCode(bytes) {
                #expect(try LabelCode(Array(code.text.utf8)) == code)
            }
            if let code = try? WiFiCode(bytes) {
                read += 1
                #expect(try WiFiCode(Array(code.text.utf8)) == code)
            }
        }
        #expect(read > 100)
    }
}
