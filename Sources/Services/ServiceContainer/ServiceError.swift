/// Why a service could not be had, started or changed.
public struct ServiceError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Neither an override nor a default of this world exists.
        case missing
        /// A test used what it did not mention.
        case unmentioned
        /// A service needs itself, through the chain.
        case cyclic
        /// The recipe threw.
        case recipeFailed
        /// The service's `start` threw.
        case startFailed
        /// Another start or stop of the same family of scopes is under way.
        case busy
    }

    /// The kind of failure.
    public var code: Code
    /// From the service that was asked for, through what needs what, to the one that failed.
    public var chain: [String]
    /// What the recipe or the service said.
    public var detail: String

    /// Makes an error.
    public init(_ code: Code, chain: [String], detail: String = "") {
        self.code = code
        self.chain = chain
        self.detail = detail
    }

    /// What failed, the chain that led there, and what to do.
    public var description: String {
        let path = chain.joined(separator: " → ")
        let cause = detail.isEmpty ? "" : ": \(detail)"
        return switch code {
        case .missing: "no recipe for the last of \(path); give its key a default or override it"
        case .unmentioned: "the test does not mention the last of \(path); override it in the test's scope"
        case .cyclic: "services need each other in a circle: \(path)"
        case .recipeFailed: "could not make the last of \(path)\(cause)"
        case .startFailed: "could not start the last of \(path)\(cause)"
        case .busy: "could not change \(path) while another start or stop is under way"
        }
    }
}
