/// Why a file on a simulated disk could not be used.
public struct DiskError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What came back.
    public enum Code: Sendable, Hashable {
        /// There is no such file.
        case notFound
        /// The disk has failed.
        case inputOutput
        /// There is no room.
        case noSpace
        /// The power has gone in this moment: whether anything was written is known after the restart.
        case powerLost
    }

    /// What came back.
    public var code: Code
    /// What was tried.
    public var operation: String
    /// On which file.
    public var file: String
    /// On the disk of which node.
    public var node: String

    /// What was tried, on what, and what came back.
    public var description: String {
        let reason =
            switch code {
            case .notFound: "there is no such file"
            case .inputOutput: "the disk has failed"
            case .noSpace: "there is no room"
            case .powerLost: "the power has gone"
            }
        return "\(operation) \(file) on the disk of \(node): \(reason)"
    }
}
