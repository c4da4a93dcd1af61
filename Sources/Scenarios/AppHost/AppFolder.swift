package import ArgumentParser
public import CommandKit
internal import Foundation
internal import PageKit
internal import ScenarioKit
internal import SessionRecording

/// The folder in which the app keeps everything between runs; one process at a time has it.
public final class AppFolder: Sendable {
    /// Where it is, without a `~`.
    public let path: String
    private let app: String
    private let lock: FileLock

    /// Makes the folder if there is none, readable by its owner alone, and takes it.
    ///
    /// - Parameters:
    ///   - path: Where it is; a `~` stands for the user's own folder.
    ///   - app: The app's name, for people.
    /// - Throws: ``AppFolderInUse``, `FolderUnusable`.
    public init(path: String, of app: String) throws {
        self.app = app
        let path = URL(filePath: NSString(string: path).expandingTildeInPath).standardizedFileURL.path
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            lock = try FileLock(path: path, flags: O_RDONLY | O_DIRECTORY)
        } catch FileLock.Trouble.held {
            throw AppFolderInUse(app: app, path: path)
        } catch let trouble as FileLock.Trouble {
            throw FolderUnusable(path: path, detail: trouble.detail)
        } catch {
            throw FolderUnusable(path: path, error)
        }
    }

    /// The encrypted secrets.
    public var secrets: String { path + "/secrets" }
    /// The key file that opens the secrets, unless a passphrase does.
    public var secretsKey: String { path + "/secrets.key" }
    private var page: String { path + "/page.json" }

    /// What is to be said when others than its owner have rights in a folder that was there before; `nil` when nobody has.
    public var exposure: String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return
            "other users of this machine may use the folder \(path), whose mode is \(mode). What \(app) makes in it is "
            + "for you alone; run chmod 700 on it if it has older files."
    }

    /// Lets the next process have it.
    public func release() { lock.release() }

    // MARK: The page's address

    /// What pages that are still open know the server by.
    private struct PageAddress: Codable {
        /// What a browser needs.
        var token: String
        /// Where the page was last.
        var port: Int
    }

    /// The address of the last run; `nil` in the first one, or when it cannot be read.
    func lastAddress() -> (token: PageToken, port: Int)? {
        guard let bytes = FileManager.default.contents(atPath: page),
            let address = try? JSONDecoder().decode(PageAddress.self, from: bytes),
            let token = PageToken(address.token)
        else { return nil }
        return (token, address.port)
    }

    /// Keeps the address for the next run, so that open pages find it again.
    func keep(_ token: PageToken, port: Int) throws {
        try PrivateFile.write(
            try JSONEncoder().encode(PageAddress(token: token.text, port: port)),
            to: page
        )
    }
}

/// Another process has the folder.
public struct AppFolderInUse: Error, ExitCoded, CustomStringConvertible {
    var app: String
    var path: String

    package var exitCode: ExitCode { Exit.fileTrouble }

    /// What a person can do.
    public var description: String {
        "\(app) runs already with the folder \(path). Use its page, end it, or choose another --folder."
    }
}
