import Testing

@testable import Nova

@Suite("Refusals of Nova")
struct RefusalTests {
    private func read(_ text: String) -> RefusalBody { RefusalBody(Array(text.utf8)) }

    @Test("a member of another form leaves the others, and so does a field")
    func lenient() {
        let names = ["error", "message", "request_id", "retry_after"]
        let good = [#""e""#, #""m""#, #""r""#, "7"]
        for wrong in names.indices {
            let members = names.indices.map { "\"\(names[$0])\":\($0 == wrong ? "[1]" : good[$0])" }
            let body = read("{\(members.joined(separator: ",")),\"fields\":{\"a\":1,\"b\":\"no\"}}")
            #expect(body.error == (wrong == 0 ? nil : "e") && body.message == (wrong == 1 ? nil : "m"))
            #expect(body.requestID == (wrong == 2 ? nil : "r") && body.retryAfter == (wrong == 3 ? nil : 7))
            #expect(body.fields == ["b": "no"])
        }
        #expect(read(#"{"error":"e","fields":"none"}"#).error == "e")
        for page in ["", "<html>", "[1]", "7"] {
            #expect(read(page).error == nil && read(page).message == nil)
        }
    }

    @Test("what is too long is cut, and of fields there are so many")
    func bounded() {
        let long = String(repeating: "x", count: 10_000)
        let fields = (0..<100).map { "\"\($0)\(long)\":\"\(long)\"" }.joined(separator: ",")
        let texts = ["error", "message", "request_id"].map { "\"\($0)\":\"\(long)\"" }
        let body = read("{\(texts.joined(separator: ",")),\"fields\":{\(fields)}}")
        #expect(body.error?.count == RefusalBody.longestName)
        #expect(body.requestID?.count == RefusalBody.longestName)
        #expect(body.message?.count == RefusalBody.longestMessage)
        #expect(body.fields?.count == RefusalBody.mostFields)
        #expect(
            body.fields?.allSatisfy {
                $0.key.count == RefusalBody.longestName && $0.value.count == RefusalBody.longestMessage
            } == true
        )
    }
}
