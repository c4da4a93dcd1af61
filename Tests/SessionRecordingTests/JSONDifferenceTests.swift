import SessionRecording
import Testing

@Suite("Differences of JSON")
struct JSONDifferenceTests {
    @Test(arguments: [
        (#"{"a":1,"b":[1,2]}"#, #"{"a":1,"b":[1,3,4]}"#, ["b[1]: 2 → 3", "b[2]: nothing → 4"]),
        (#"{"a":{"x":true}}"#, #"{"a":{"y":"t"}}"#, [#"a.x: true → nothing"#, #"a.y: nothing → "t""#]),
        (#"{"a":1}"#, #"[1]"#, [#": {"a":1} → [1]"#]),
        ("1", "2", [": 1 → 2"]), ("[]", "[]", []), ("{", "{}", []),
        (#"{"b":1,"a":1}"#, #"{"a":1,"b":1}"#, []),
    ])
    func `are all members that differ, by their paths`(_ old: String, _ new: String, _ found: [String]) {
        #expect(
            JSONDifference.all(old, new, atMost: 9).map { "\($0.path): \($0.old) → \($0.new)" } == found
        )
    }

    @Test func `are no more than are asked for`() {
        let found = JSONDifference.all("[1,2,3]", "[4,5,6]", atMost: 2)
        #expect(found.map(\.path) == ["[0]", "[1]"])
    }
}
