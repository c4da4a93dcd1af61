/// Which part of the app is shown.
public enum NavigationState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The welcome, while a session begins.
    case splash
    /// Authentication.
    case feature1
    /// Verification.
    case feature2
    /// The steps, and the end.
    case feature3
}

/// A step of the flow.
public enum FlowStep: String, Sendable, Hashable, Codable, CaseIterable {
    case step1
    case step2
    case step3
    /// All steps are done.
    case completion

    /// The number that the service knows it by; one past the last for the end.
    public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// The step after it; the end stays.
    public var next: FlowStep {
        let cases = Self.allCases
        return cases[min(number, cases.count - 1)]
    }
}

/// How a flow has ended.
public enum CompletionResult: String, Sendable, Hashable, Codable {
    /// The person has done all of it.
    case completed
    /// The person, or the program that showed it, has ended it before.
    case cancelled
}
