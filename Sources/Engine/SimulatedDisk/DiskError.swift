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
        /// The file would be larger than a file can be.
        case tooLarge
        /// The node has crashed or lost its power: whether anything was written is known after the restart.
        case nodeDown
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
            case .tooLarge: "a file is at most 1 GiB"
            case .nodeDown: "the node is down"
            }
        return "\(operation) \(file) on the disk of \(node): \(reason)"
    }
}
