import Files
import Foundation

/// A folder in which something has to be kept cannot be read or written.
public struct FolderUnusable: Error, Sendable, Hashable, CustomStringConvertible {
    /// The folder.
    public var path: String
    /// What came back.
    public var detail: String

    /// Names a folder, and what came back.
    public init(path: String, detail: String) {
        self.path = path
        self.detail = detail
    }

    /// What was tried, what came back, and what to do.
    public var description: String {
        "cannot keep files in \(path): \(detail). Choose another folder, or free some space."
    }
}

extension FolderUnusable {
    /// Names what the system said.
    package init(path: String, _ error: any Error) {
        self.init(
            path: path,
            detail: systemError(behind: error).map { unsafe String(cString: strerror($0)) } ?? "\(error)"
        )
    }
}
