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

    @Test func `of lists whose items have IDs are those of the items, wherever they stand`() {
        let old = #"{"posts":[{"id":"a","likes":1},{"id":"b","likes":2}]}"#
        let new = #"{"posts":[{"id":"c","likes":0},{"id":"a","likes":1},{"id":"b","likes":3}]}"#
        let found = JSONDifference.all(old, new, atMost: 9, matchingIDs: true)
        #expect(found.map(\.path) == ["posts[b].likes", "posts[c]"])
        #expect(found.last?.old == "nothing")
        // Two of one ID are compared place by place.
        let twins = JSONDifference.all(#"[{"id":1},{"id":1}]"#, "[]", atMost: 9, matchingIDs: true)
        #expect(twins.map(\.path) == ["[0]", "[1]"])
    }

    @Test func `are no more than are asked for`() {
        let found = JSONDifference.all("[1,2,3]", "[4,5,6]", atMost: 2)
        #expect(found.map(\.path) == ["[0]", "[1]"])
    }
}
