import Exploration
import Simulation
import Testing

@Suite("Expressions for many tests")
struct TestFilterTests {
    @Test func `an expression for many names fits these, and no others`() throws {
        let names = [
            "A.S/a()/S.swift:1:2", "A.S/ab()/S.swift:1:2", "A.S/`a (b) [c]?`()/S.swift:9:6", "B", "BC", "BCD",
        ]
        let expression = try Regex(TestFilter.expression(forAll: names))
        for name in names { #expect(try expression.wholeMatch(in: name) != nil, "\(name)") }
        for other in ["A.S/a()/S.swift:1:23", "A.S/a()/Sxswift:1:2", "", "A", "BCDE", "A.S/"] {
            #expect(try expression.firstMatch(in: other) == nil, "\(other)")
        }
    }

    @Test func `any set of names can be told from any other`() throws {
        var entropy = EntropyStream(seed: 7, label: "names")
        let all = (0..<200).map { _ in
            String(
                (0..<Int.random(in: 1...6, using: &entropy)).map { _ in
                    "ab(.".randomElement(using: &entropy) ?? "a"
                }
            )
        }
        let names = Set(all.prefix(100))
        let expression = try Regex(TestFilter.expression(forAll: names))
        for name in all {
            #expect(try (expression.firstMatch(in: name) != nil) == names.contains(name), "\(name)")
        }
    }
}
