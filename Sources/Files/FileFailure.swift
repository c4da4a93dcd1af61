#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Why a file could not be read or written.
public struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that call for different answers.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case missing
        case alreadyExists
        /// No room is left on the disk, or in the user's share of it.
        case full
        /// The file or its folder may not be read or written.
        case notPermitted
        /// The file is larger than the caller allows.
        case tooLarge
        /// The name would lead out of the folder.
        case invalidName
        /// The disk failed.
        case disk
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried.
    public var operation: String
    /// The file or folder.
    public var path: String
    /// What came back.
    public var detail: String

    /// Creates a failure.
    public init(_ code: Code, operation: String, path: String, detail: String = "") {
        self.code = code
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    /// Translates an error number of the system.
    init(errno number: Int32, operation: String, path: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .missing
            case EEXIST: .alreadyExists
            case ENOSPC, EDQUOT, EFBIG: .full
            case EACCES, EPERM, EROFS: .notPermitted
            default: .disk
            }
        self.init(code, operation: operation, path: path, detail: "errno \(number)")
    }

    /// A file has more bytes than its reader allows.
    public static func tooLarge(_ path: String, limit: Int) -> FileFailure {
        FileFailure(.tooLarge, operation: "read", path: path, detail: "more than \(limit) bytes")
    }

    /// What was tried, on what, what came back and what to do.
    public var description: String {
        let cause = detail.isEmpty ? code.rawValue : "\(code.rawValue), \(detail)"
        return "could not \(operation) \(path): \(cause)\(advice)"
    }

    private var advice: String {
        switch code {
        case .full: ". Free some space on the disk."
        case .notPermitted: ". Allow access to the file and its folder."
        case .disk: ". Check the disk."
        case .missing, .alreadyExists, .tooLarge, .invalidName: ""
        }
    }
}
