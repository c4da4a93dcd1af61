import NIOCore

extension TimeAmount {
    /// The same span in NIO's nanoseconds, with a ceiling of about 146 years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let ceiling: Int64 = .max / 2
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self = .nanoseconds(overflow ? ceiling : min(nanoseconds, ceiling) + attoseconds / 1_000_000_000)
    }
}
