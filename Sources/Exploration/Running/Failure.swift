import Simulation

/// How a run failed.
public struct Failure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What kind of failure, without what differs between runs: equal for runs that show the same bug.
    public var fingerprint: String
    /// What happened.
    public var message: String

    /// What happened.
    public var description: String { message }

    /// Reads an error that a run has thrown.
    public init(_ error: any Error) {
        message = "\(error)"
        fingerprint =
            switch error {
            case let broken as BrokenPromise: "\(broken.kind.rawValue): \(broken.promise)"
            case let error as SimulationError: error.code
            case let named as any NamedFailure: named.failureName
            default: Self.withoutNumbers("\(type(of: error)): \(error)")
            }
    }

    /// Numbers are what differs between runs of one bug.
    private static func withoutNumbers(_ text: String) -> String {
        var result = ""
        for character in text where !(character.isNumber && result.last == "#") {
            result.append(character.isNumber ? "#" : character)
        }
        return String(result.prefix(160))
    }
}

/// An error that says by what name its failures are the same.
public protocol NamedFailure: Error {
    /// The same for each run that shows the same bug.
    var failureName: String { get }
}
