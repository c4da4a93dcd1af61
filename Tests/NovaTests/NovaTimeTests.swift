import Foundation
import Nova
import Testing

@Suite("Nova's instants")
struct NovaTimeTests {
    private func read(_ text: String) -> Date? {
        try? JSONDecoder().decode(NovaTime.self, from: Data("\"\(text)\"".utf8)).wrappedValue
    }

    @Test("an instant of any day of four centuries is read as Foundation reads it")
    func everyDay() throws {
        let style = Date.ISO8601FormatStyle()
        let first = try style.parse("1896-01-01T00:00:00Z")
        for day in 0..<146_500 {
            let date = first + Double(day) * 86_400 + Double(day * 7_919 % 86_400)
            // Foundation's own way is slow: all days around the ends of months and years, and some of the others.
            guard day % 17 == 0 || [0, 1, 364, 365].contains(day % 366) else { continue }
            #expect(read(date.formatted(style)) == date)
        }
    }

    @Test(
        "other forms are read as well, and what is no instant is refused",
        arguments: [
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("2026-12-31T23:59:59Z", 1_798_761_599),
            ("2026-01-05T12:00:00.5Z", 1_767_614_400.5), ("2026-01-05T13:00:00+01:00", 1_767_614_400),
            ("2026-01-05 12:00:00", 1_767_614_400), ("2026-13-05T12:00:00Z", nil),
            ("2026-01-05T12:00:0xZ", nil), ("2026-01-05", nil), ("", nil),
        ] as [(String, Double?)]
    )
    func forms(_ text: String, _ seconds: Double?) {
        #expect(read(text)?.timeIntervalSince1970 == seconds)
    }
}
