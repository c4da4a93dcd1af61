import Conformance
import Foundation
import Testing

/// What a comparison with references says, case by case.
@Suite("An implementation beside references")
struct DriftCheckTests {
    private func result(_ name: String, _ cases: [SuiteResult.Case]) -> SuiteResult {
        var result = SuiteResult("object store", of: name, ConformanceReport())
        result.cases = cases
        return result
    }

    private func test(_ id: String, _ result: SuiteResult.Outcome, _ reason: String? = nil)
        -> SuiteResult.Case
    {
        SuiteResult.Case(id: id, requirement: "it holds", result: result, reason: reason)
    }

    @Test(
        arguments: [
            (.passed, nil, .passed, nil, .verified, nil), (.failed, "a", .failed, "a", .verified, nil),
            (.passed, nil, .failed, "a", .drift, .stricter), (.failed, "a", .passed, nil, .drift, .laxer),
            (.failed, "a", .failed, "b", .drift, .otherwise), (.passed, nil, .skipped, "a", .unverified, nil),
            (.failed, "a", .skipped, "a", .unverified, nil), (.skipped, "a", .passed, nil, .unverified, nil),
            (.skipped, "a", .failed, "a", .unverified, nil), (.skipped, "a", .skipped, "b", .unverified, nil),
        ] as [Ends]
    )
    fileprivate func `only what both sides have tried is compared, and failures with their reasons`(
        _ ends: Ends
    ) {
        let here = result("simulator", [test("a.b", ends.here, ends.hereReason)])
        let check = DriftCheck(of: here, from: [result("real", [test("a.b", ends.there, ends.thereReason)])])
        #expect(check["a.b"]?.standing == ends.standing)
        #expect(check["a.b"]?.differences.map(\.direction) == (ends.direction.map { [$0] } ?? []))
        #expect((check["a.b"]?.reason == nil) == (ends.standing != .unverified))
        #expect(check.isWrong == (ends.standing == .drift))
    }

    @Test func `one reference that has tried a case verifies it, and one that differs is enough for drift`() {
        let here = result("simulator", [test("a.b", .passed), test("a.c", .passed), test("a.d", .passed)])
        let one = result(
            "one",
            [test("a.b", .passed), test("a.c", .failed, "it is full"), test("a.d", .passed)]
        )
        let two = result("two", [test("a.b", .skipped, "it needs pages"), test("a.c", .passed)])
        for references in [[one, two], [two, one]] {
            let check = DriftCheck(of: here, from: references)
            #expect(check.cases.map(\.standing) == [.verified, .drift, .verified])
            #expect(check["a.c"]?.differences.map(\.reference) == ["one"])
        }
        #expect(
            "\(DriftCheck(of: here, from: [two, one]))" == """
                drift from two, one: 2 verified, 1 drift, 0 known, 0 unverified

                drift  a.c  stricter than one: there failed (it is full), here passed
                """
        )
    }

    @Test func `an unverified case says who has not tried it and why, and equal reasons once`() {
        let here = result(
            "simulator",
            [
                test("a.b", .skipped, "it needs pages"), test("a.c", .passed),
                test("a.d", .skipped, "it needs cuts"),
            ]
        )
        var none = result("none", [])
        none.skipped = "no key was given"
        let one = result("one", [test("a.b", .skipped, "it needs pages"), test("a.d", .failed, "it hangs")])
        #expect(
            "\(DriftCheck(of: here, from: [one, none]))" == """
                drift from one, none: 0 verified, 0 drift, 0 known, 3 unverified

                unverified  a.b  here, one: skipped (it needs pages); none: skipped as a whole (no key was given)
                unverified  a.c  here: passed; one: no such case; none: skipped as a whole (no key was given)
                unverified  a.d  here: skipped (it needs cuts); one: failed (it hangs); none: skipped as a whole (no key was given)
                """
        )
    }

    @Test func `cases of another version of the suite are named, with the references that have them`() {
        let here = result("simulator", [test("a.b", .passed)])
        let one = result("one", [test("a.b", .passed), test("a.old", .passed)])
        let two = result(
            "two",
            [test("a.older", .skipped, "it needs pages"), test("a.old", .failed, "it is full")]
        )
        let check = DriftCheck(of: here, from: [one, two])
        #expect(check.missing.map(\.id) == ["a.old", "a.older"])
        #expect(check.missing.map(\.references) == [["one", "two"], ["two"]])
        #expect("\(check)".contains("missing  a.old    only one, two has it"))
        #expect(!check.isWrong)
    }

    @Test func `what is known of a reference is no drift, of another one it is, and what is stale is wrong`()
    {
        let here = result("simulator", [test("a.b", .passed), test("a.c", .passed)])
        let one = result("one", [test("a.b", .failed, "it is full"), test("a.c", .passed)])
        let two = result("two", [test("a.b", .failed, "it is full")])
        let known = KnownDrift(reference: "one", cases: ["a.b"], reason: "a small disk")
        let check = DriftCheck(of: here, from: [one], known: [known])
        #expect(check["a.b"]?.standing == .known && !check.isWrong)
        #expect(
            "\(check)".hasSuffix(
                "known  a.b  stricter than one: there failed (it is full), here passed; known: a small disk"
            )
        )
        let both = DriftCheck(of: here, from: [one, two], known: [known])
        #expect(
            both["a.b"]?.standing == .drift && both["a.b"]?.differences.map(\.known) == ["a small disk", nil]
        )

        let more = KnownDrift(reference: "one", cases: ["a.b", "a.c", "a.gone"], reason: "a small disk")
        let stale = DriftCheck(of: here, from: [one], known: [more])
        #expect(stale.isWrong && stale.count(.drift) == 0)
        #expect(
            stale.stale == [KnownDrift(reference: "one", cases: ["a.c", "a.gone"], reason: "a small disk")]
        )
        #expect("\(stale)".contains("stale  a.gone  known of one, which does not differ"))
    }

    @Test func `a result of before formats had numbers is read, and one of a newer format is refused`() throws
    {
        let now = result("one", [test("a.b", .passed)])
        #expect(try SuiteResult(json: now.json()) == now)
        let text = String(decoding: try now.json(), as: UTF8.self)
        let old = try SuiteResult(json: Data(text.replacing("\"format\" : 1,", with: "").utf8))
        #expect(old.format == nil && old.cases == now.cases)
        let newer = Data(#"{"format": 2, "table": []}"#.utf8)
        let error = #expect(throws: SuiteResult.NewerFormat.self) { try SuiteResult(json: newer) }
        #expect(error?.format == 2)
    }
}

/// How a case ended on both sides, and what that means.
private typealias Ends = (
    here: SuiteResult.Outcome, hereReason: String?, there: SuiteResult.Outcome, thereReason: String?,
    standing: DriftCheck.Standing, direction: DriftCheck.Difference.Direction?
)
