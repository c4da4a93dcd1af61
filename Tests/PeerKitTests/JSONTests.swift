import Foundation
import PeerKit
import Simulation
import Testing

@Suite("PeerKit: JSON")
struct JSONTests {
    private func read(_ text: String) throws(JSONMalformed) -> JSONValue {
        try JSONValue(json: Array(text.utf8))
    }

    @Test func `every kind of value is read and written back`() throws {
        let text = #"{"a":[1,-2.5,true,false,null],"b":{"c":"é😀\n\"\\"},"d":1e-07}"#
        let value = try read(text)
        #expect(value["a"]?.array == [1, .real(-2.5), true, false, nil])
        #expect(value["b"]?["c"]?.string == "é😀\n\"\\")
        #expect(String(decoding: value.json, as: UTF8.self) == text)
        #expect(try read(" [ ] ") == [] && read("\t{}\r\n") == [:])
    }

    @Test func `numbers that are equal are equal values`() throws {
        #expect(try read("[1.0, 1e0, 10E-1]") == [1, 1, 1])
        #expect(try read("9223372036854775807").integer == .max)
        #expect(try read("9223372036854775808").number == 0x1p63)
        #expect(try read("-0").integer == 0)
        #expect(JSONValue.number(3).integer == 3 && JSONValue.number(0.5) == .real(0.5))
    }

    @Test func `escapes of every kind are read`() throws {
        let text = #""\"\\\/\b\f\n\r\tA\u00e9\ud83d\ude00""#
        #expect(try read(text).string == "\"\\/\u{8}\u{C}\n\r\tAé😀")
    }

    @Test(
        arguments: [
            "", " ", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "nul", "truex", "01", "1.", ".5",
            "-", "+1", "1e", "1e999", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
            "\"\\udc00\"", "\"a\nb\"", "\"a\u{1f}b\"", "'a'", "[] []", "NaN", "\u{FEFF}1",
        ]
    )
    func `what is no JSON is refused`(_ text: String) {
        #expect(throws: JSONMalformed.self) { try read(text) }
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        #expect(throws: JSONMalformed.self) { try JSONValue(json: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONMalformed.self) { try JSONValue(json: [0x22, 0xC3, 0x5C, 0x6E, 0x22]) }
    }

    @Test func `depth and the number of values are bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(101))
        #expect(throws: JSONMalformed.self) { try read(nested(102)) }
        #expect(throws: JSONMalformed.self) { try read(String(repeating: "{\"a\":", count: 100_000)) }
        let many = "[" + String(repeating: "0,", count: JSONMalformed.mostValues) + "0]"
        #expect(throws: JSONMalformed.self) { try read(many) }
    }

    @Test func `a special byte is found at every place of a text`() throws {
        for length in 0..<20 {
            for place in 0..<max(1, length) {
                var text = String(repeating: "x", count: length)
                #expect(try read("\"\(text)\"").string == text)
                guard length > 0 else { continue }
                let index = text.index(text.startIndex, offsetBy: place)
                text.replaceSubrange(index...index, with: "\u{1}")
                #expect(throws: JSONMalformed.self) { try read("\"\(text)\"") }
                let escaped = text.replacing("\u{1}", with: "\\n")
                #expect(try read("\"\(escaped)\"").string == text.replacing("\u{1}", with: "\n"))
            }
        }
    }

    /// A value in which everything may occur.
    private func value(_ random: inout EntropyStream, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return nil
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(Int(truncatingIfNeeded: random.next()))
        case 3: return .number(Double.random(in: -1e6...1e6, using: &random))
        case 4: return .integer(.random(in: -9...9, using: &random))
        case 5: return .string(text(&random))
        case 6:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth - 1) }
            )
        default:
            let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                (text(&random), value(&random, depth: depth - 1))
            }
            return .object(Dictionary(members) { $1 })
        }
    }

    private func text(_ random: inout EntropyStream) -> String {
        let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "é", "€", "😀", "/", " "]
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            if let scalar = scalars.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    @Test func `random values survive writing and reading, here and in Foundation`() throws {
        var random = EntropyStream(seed: 11, label: "json values")
        for _ in 0..<2000 {
            let value = value(&random, depth: 4)
            #expect(try JSONValue(json: value.json) == value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.json)) == value)
            #expect(try JSONValue(json: Array(JSONEncoder().encode(value))) == value)
        }
    }

    @Test func `random damage is refused, or read as Foundation reads it`() throws {
        var random = EntropyStream(seed: 12, label: "json damage")
        var refusals = 0
        for _ in 0..<5000 {
            var bytes = value(&random, depth: 3).json
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 1: bytes = Array(bytes.prefix(place))
                default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
                }
            }
            guard let value = try? JSONValue(json: bytes) else {
                refusals += 1
                continue
            }
            let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            #expect(other == value, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(refusals > 1000)
    }
}
