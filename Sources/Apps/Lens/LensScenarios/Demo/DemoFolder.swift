import Foundation
import ScenarioKit
import SessionRecording

/// The folder in which demonstrations keep their files between runs; one run at a time has it.
public final class DemoFolder: Sendable {
    /// Where it lies.
    public let path: String
    private let lock: FileLock

    /// Makes the folder if there is none, and takes it until it is released or the process ends.
    ///
    /// - Throws: ``FolderInUse``, `FolderUnusable`.
    public init(path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            lock = try FileLock(path: path, flags: O_RDONLY | O_DIRECTORY)
        } catch FileLock.Trouble.held {
            throw FolderInUse(path: path)
        } catch let trouble as FileLock.Trouble {
            throw FolderUnusable(path: path, detail: trouble.detail)
        } catch {
            throw FolderUnusable(path: path, error)
        }
    }

    /// Where the app keeps its files.
    public var phone: String { path + "/phone" }
    /// Where the Supabase keeps its objects.
    public var store: String { path + "/store" }
    /// Where the S3 keeps its objects.
    public var s3: String { path + "/s3" }
    /// Where objects lie that go to a folder.
    public var objects: String { path + "/objects" }
    /// Where the session goes unless another place is asked for.
    public var session: String { path + "/demo.lenssession" }

    /// Lets the next run have it.
    public func release() { lock.release() }
}

/// Another demonstration keeps its files in the folder just now.
public struct FolderInUse: Error, Sendable, Hashable, CustomStringConvertible {
    /// The folder.
    public var path: String

    /// What was tried, what came back, and what to do.
    public var description: String {
        "cannot run a demonstration in \(path): another one runs there. Wait for its end, or choose another folder."
    }
}
