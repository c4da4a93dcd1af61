import PeerKit
import Testing

@Suite("PeerKit: shapes of messages")
struct ShapeTests {
    private let shape = MessageShape(fields: [
        "display_name": .string, "count": .number, "isOpen": .bool, "data": .bytes, "anything": .any,
        "kind": .choice(type: "Kind", ["A", "B"]),
        "parts": .list(.message(MessageShape(fields: ["text": .string]))),
    ])

    @Test func `names are read in both cases, and nulls count as absent`() throws {
        let read = try shape.read(["displayName": "x", "count": "12", "kind": nil, "anything": [1, nil]])
        #expect(read == ["display_name": "x", "count": "12", "anything": [1, nil]])
    }

    @Test func `a single value stands for a list of one`() throws {
        #expect(try shape.read(["parts": ["text": "x"]]) == ["parts": [["text": "x"]]])
    }

    @Test func `a mismatch names its place`() {
        #expect(throws: ShapeMismatch.unknownName("txt", at: "parts[1]")) {
            try shape.read(["parts": [["text": "x"], ["txt": "y"]]])
        }
        #expect(throws: ShapeMismatch.wrongValue(7, at: "display_name", expected: .string)) {
            try shape.read(["displayName": 7])
        }
        #expect(
            throws: ShapeMismatch.wrongValue("C", at: "kind", expected: .choice(type: "Kind", ["A", "B"]))
        ) {
            try shape.read(["kind": "C"])
        }
        #expect(throws: ShapeMismatch.wrongValue("x", at: "count", expected: .number)) {
            try shape.read(["count": "x"])
        }
        #expect(throws: ShapeMismatch.wrongValue([], at: "", expected: .message(shape))) {
            try shape.read([])
        }
    }

    @Test func `a message holds itself, and names of a map are free`() throws {
        let tree = MessageShape(fields: [
            "the_size": .number, "branches": .map(.itself), "all": .list(.itself),
        ])
        let value: JSONValue = ["theSize": 1, "branches": ["someName": ["all": [["theSize": 2]]]]]
        #expect(
            try tree.read(value) == ["the_size": 1, "branches": ["someName": ["all": [["the_size": 2]]]]]
        )
        #expect(throws: ShapeMismatch.unknownName("x", at: "branches[a].all[1]")) {
            try tree.read(["branches": ["a": ["all": [[:], ["x": 1]]]]])
        }
        #expect(throws: ShapeMismatch.wrongValue([], at: "branches", expected: .map(.itself))) {
            try tree.read(["branches": []])
        }
    }

    @Test func `free JSON stays as it came`() throws {
        let free = MessageShape(fields: ["args": .object, "default": .value])
        let value: JSONValue = ["args": ["camelCase": [nil, ["aB": 1]]], "default": [1, "x"]]
        #expect(try free.read(value) == value)
        #expect(throws: ShapeMismatch.wrongValue("x", at: "args", expected: .object)) {
            try free.read(["args": "x"])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `places are spelled only for what is wrong, however many fields are right`() throws {
        let shape = MessageShape(fields: ["labels": .map(.list(.list(.map(.string))))])
        let name = String(repeating: "n", count: 1_000_000)
        var values = [JSONValue](repeating: [["a": "b"]], count: 100_000)
        // With each place spelled, these would be some hundred billion bytes.
        #expect(throws: Never.self) { try shape.read(["labels": [name: .array(values)]]) }
        values[99_999] = [["a": "b"], ["a": 1]]
        #expect(throws: ShapeMismatch.wrongValue(1, at: "labels[x][99999][1][a]", expected: .string)) {
            try shape.read(["labels": ["x": .array(values)]])
        }
    }
}
