import Foundation
import SimulationTesting
import Testing

@Suite("Whether the source of a test says that it is asynchronous")
struct DeclaredEffectsTests {
    /// What the source says of the test whose `@Test` is its first.
    private func isAsync(_ source: String) -> Bool? {
        let before = source[..<(source.range(of: "@Test")?.lowerBound ?? source.startIndex)]
        let line = before.count { $0 == "\n" } + 1
        let column =
            (before.split(separator: "\n", omittingEmptySubsequences: false).last?.utf8.count ?? 0) + 2
        return DeclaredEffects.isAsync(in: source, line: line, column: column)
    }

    @Test(arguments: [
        "@Test func a() async {}",
        "@Test func a() async throws {}",
        "import Testing\n\n  @Test(arguments: [1, 2]) @MainActor func a(number: Int) async throws -> Void {}",
        "@Test(\"a name with ) and \\(\"}\")\") func `b (c)`() async {}",
        "@Test(.tags(.slow), arguments: zip([1], [{ 2 }])) /* func b() */ private static func a(\n) async {}",
        "@Test // func b() {}\nfunc a<T: P>(_ x: @escaping () -> T) async where T: Q {}",
        "@Test(#\"a \"quoted\" name\"#) func a() async {}",
    ]) func `one that is`(source: String) { #expect(isAsync(source) == true) }

    @Test(arguments: [
        "@Test func a() {}",
        "@Test func a() throws { await b() }",
        "@Test func a(_ body: () async -> Void) {}",
        "@Test func a() -> () async -> Void { {} }",
        "@Test func async() {}",
        "@Test func `is async`() throws {}",
        "@Test(\"async\") func a() {}\n@Test func b() async {}",
        "@Test func a<T>(_ x: T) where T: P {}",
    ]) func `one that is not`(source: String) { #expect(isAsync(source) == false) }

    @Test(arguments: ["@Testable import B", "@Test struct A { func a() async {} }", "@Test", ""])
    func `what is no test says nothing`(source: String) { #expect(isAsync(source) == nil) }
}
