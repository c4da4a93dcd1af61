import Testing

@testable import SessionRecording

@Suite("Recorded requests")
struct RecordedRequestTests {
    private struct Asked: AskedConnection {
        var head: String
        var sentBody: [UInt8] = []
    }

    private func requests(_ heads: String...) -> RecordedRequests<Asked> {
        RecordedRequests(heads.map { Asked(head: $0) }, mask: SecretMask([]))
    }

    private static let letter = "GET http://127.0.0.1:5001/letters/7f3a-11?page=2\naccept: text"

    @Test(
        "a request with other names or numbers in its path has the answer of one like it",
        arguments: ["/letters/7f3a-11?page=2", "/letters/9e21-ab0c7?page=14", "/letters/0?page=1"]
    )
    func alike(path: String) {
        let found = requests(Self.letter).takeOrRepeat("GET http://127.0.0.1:5001\(path)", body: [])
        #expect(found?.head == Self.letter)
    }

    @Test(
        "a request to another host, by another method or for anything else has none",
        arguments: [
            "GET http://127.0.0.1:5002/letters/7f3a-11?page=2",
            "GET https://127.0.0.1:5001/letters/7f3a-11?page=2",
            "GET http://127.0.0.2:5001/letters/7f3a-11?page=2",
            "PUT http://127.0.0.1:5001/letters/7f3a-11?page=2",
            "GET http://127.0.0.1:5001/letters/face?page=2",
            "GET http://127.0.0.1:5001/letters/7?page=2&sort=1",
            "GET http://127.0.0.1:5001", "interfaces",
        ]
    )
    func other(head: String) {
        #expect(requests(Self.letter).takeOrRepeat(head, body: []) == nil)
    }

    @Test func `a name that was looked up answers for no other`() {
        let names = requests("camera-1.local:80", "camera-2.local:80")
        #expect(names.takeOrRepeat("camera-2.local:80", body: [])?.head == "camera-2.local:80")
        #expect(names.takeOrRepeat("camera-3.local:80", body: []) == nil)
    }

    @Test func `of several like it the one that is left comes first, and the last one is given again`() {
        let found = requests(
            "GET http://a/1\nn: 1",
            "GET http://a/2\nn: 2",
            "GET http://a/2\nn: 3"
        )
        let heads = ["1", "9", "9", "9"].map { found.takeOrRepeat("GET http://a/\($0)", body: [])?.head.last }
        #expect(heads == ["1", "2", "3", "3"])
    }

    /// As many steps as the square of its letters would take minutes.
    @Test func `a long path costs no more than its letters`() {
        let path = String(repeating: "abcdef", count: 50_000)
        #expect(requests(Self.letter).takeOrRepeat("GET http://127.0.0.1:5001/\(path)", body: []) == nil)
    }
}
