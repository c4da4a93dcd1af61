/// What is noted of the use of the app.
public enum AnalyticsEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// The data of a step were accepted.
    case dataSubmitted
}

/// Takes events of analytics.
public protocol AnalyticsService: Sendable {
    /// Notes an event, and returns at once; what becomes of it changes nothing for the app.
    func track(event: AnalyticsEvent, in sessionID: String)
}

/// Analytics of nobody.
public struct NoAnalytics: AnalyticsService {
    /// Takes events, and drops them.
    public init() {}

    /// Drops the event.
    public func track(event: AnalyticsEvent, in sessionID: String) {}
}
