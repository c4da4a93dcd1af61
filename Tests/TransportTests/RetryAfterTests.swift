import HTTPTypes
import Testing
import Transport

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        arguments: [
            ("0", .zero), ("34", .seconds(34)), (" 7\t", .seconds(7)), ("007", .seconds(7)),
            // More than any number holds is a long wait, not none.
            ("99999999999999999999999", .seconds(Int64.max)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sun, 06 Nov 1994 08:49:00 GMT", .zero),
            ("", nil), ("-5", nil), ("1.5", nil), ("+3", nil), ("5 s", nil), ("soon", nil), ("٣", nil),
            ("Sun, 06 Nov 1994", nil),
        ] as [(String, Duration?)]
    )
    func `seconds and dates are read, and nothing else`(_ text: String, _ wait: Duration?) {
        let fields: HTTPFields = [.retryAfter: text, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(fields.retryAfter == wait)
    }

    @Test func `a date without the answer's own is compared with the clock`() throws {
        let now = try #require(HTTPDate.seconds(HTTPDate.now()))
        let fields: HTTPFields = [.retryAfter: HTTPDate.text(now + 1000)]
        let wait = try #require(fields.retryAfter)
        #expect(wait <= .seconds(1000) && wait > .seconds(500))
        #expect(HTTPFields().retryAfter == nil)
    }
}
