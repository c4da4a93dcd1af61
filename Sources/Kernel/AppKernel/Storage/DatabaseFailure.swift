internal import GRDB

/// Why the app's database did not do what was asked.
public struct DatabaseFailure: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that call for different answers.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No room is left on the disk.
        case full
        /// The file or its folder may not be written.
        case readOnly
        /// The file cannot be opened or created.
        case cannotOpen
        /// The file is not a database, or its contents are broken.
        case damaged
        /// Another process holds the file.
        case busy
        /// The disk failed while reading or writing.
        case disk
        /// A newer version of the app has made the file.
        case newerVersion
        /// A newer opening of the same queue, in this process or another one, works on it.
        case takenOver
        /// A stored value cannot be understood.
        case unreadableValue
        case other
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried.
    public var operation: String
    /// The database file.
    public var path: String
    /// What came back.
    public var detail: String

    /// Creates a failure.
    public init(_ code: Code, operation: String, path: String, detail: String) {
        self.code = code
        self.operation = operation
        self.path = path
        self.detail = detail
    }

    /// Translates whatever SQLite or a decoder has thrown.
    package init(_ error: any Error, operation: String, path: String) {
        if let failure = error as? DatabaseFailure {
            self = failure
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.unreadableValue, operation: operation, path: path, detail: "\(error)")
            return
        }
        // Statement and arguments stay out of the text: arguments may be private.
        let detail = "\(error.message ?? "no message") (SQLite \(error.extendedResultCode.rawValue))"
        self.init(Code(error.resultCode), operation: operation, path: path, detail: detail)
    }

    /// What was tried, on what, what came back and what to do.
    public var description: String { "could not \(operation) in \(path): \(detail)\(advice)" }

    private var advice: String {
        switch code {
        case .full: ". Free some space on the disk."
        case .readOnly: ". Allow writing to the file and its folder."
        case .cannotOpen: ". Check that the folder exists and may be written."
        case .damaged: ". Move the file away, or restore a copy of it."
        case .busy: ". Close the other program that uses the file."
        case .disk: ". Check the disk."
        case .newerVersion: ". Update the app, or move the file away."
        case .takenOver: ". Use the copy of the app that was started last."
        case .unreadableValue, .other: ""
        }
    }
}

extension DatabaseFailure.Code {
    /// Result codes: sqlite.org/rescode.html.
    fileprivate init(_ code: ResultCode) {
        switch code {
        case .SQLITE_FULL: self = .full
        case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly
        case .SQLITE_CANTOPEN: self = .cannotOpen
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_IOERR: self = .disk
        default: self = .other
        }
    }
}
