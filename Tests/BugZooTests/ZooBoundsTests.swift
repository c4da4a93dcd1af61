import BugZoo
import Testing

@Suite("Bounds of the zoo")
struct ZooBoundsTests {
    private static let good = ZooBounds.Measurement(
        name: "bug",
        runs: 1000,
        reduction: 0.9,
        seconds: 9.9,
        smallCaseFails: true,
        fixedFailures: 0
    )

    private static func measured(_ change: (inout ZooBounds.Measurement) -> Void) -> ZooBounds.Measurement {
        var measurement = good
        change(&measurement)
        return measurement
    }

    @Test func `what just holds breaks nothing`() {
        #expect(ZooBounds().broken(by: [Self.good]) == [])
    }

    @Test(arguments: [
        (measured { $0.runs = nil }, "bug: no strategy finds it within 1000 seeds"),
        (measured { $0.runs = 1001 }, "bug: no strategy finds it within 1000 seeds"),
        (measured { $0.smallCaseFails = false }, "bug: what shrinking leaves does not fail"),
        (measured { $0.seconds = 10 }, "bug: shrinking takes 10.0 s or more"),
        (measured { $0.fixedFailures = 2 }, "bug: its fixed version fails from 2 seeds"),
    ])
    func `one program that breaks a bound is named`(measurement: ZooBounds.Measurement, line: String) {
        #expect(ZooBounds().broken(by: [Self.good, measurement]) == [line])
    }

    @Test func `a failure that cannot be shrunk breaks a bound`() {
        let lines = ZooBounds().broken(by: [Self.good, Self.measured { $0.reduction = nil }])
        #expect(lines == ["bug: it cannot be shrunk"])
    }

    @Test func `half of the failures may keep more than a tenth, more than half may not`() {
        let large = Self.measured { $0.reduction = 0.899 }
        #expect(ZooBounds().broken(by: [large, Self.good, Self.good]) == [])
        #expect(
            ZooBounds().broken(by: [large, large, Self.good])
                == ["shrinking leaves out 89 % of the decisions and faults (median), and must leave out 90 %"]
        )
    }
}
