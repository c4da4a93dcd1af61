import AppKernel
import Foundation
import PageKit
import ScenarioKit
import SessionRecording

/// The folder in which the app keeps everything between runs; one process at a time has it.
final class LensFolder: Sendable {
    let path: String
    private let lock: FileLock

    /// Makes the folder if there is none, readable by its owner alone, and takes it.
    ///
    /// - Throws: ``LensFolderInUse``, `FolderUnusable`.
    init(path: String) throws {
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
            throw LensFolderInUse(path: path)
        } catch let trouble as FileLock.Trouble {
            throw FolderUnusable(path: path, detail: trouble.detail)
        } catch {
            throw FolderUnusable(path: path, error)
        }
    }

    var database: String { path + "/lens.sqlite" }
    var documents: String { path + "/Documents" }
    /// Where the simulated store keeps its objects, unless another place is chosen.
    var store: String { path + "/Store" }
    /// The encrypted secrets, and the key that opens them.
    var secrets: String { path + "/secrets" }
    var secretsKey: String { path + "/secrets.key" }
    private var page: String { path + "/page.json" }

    /// What is to be said when others than its owner have rights in a folder that was there before; `nil` when nobody has.
    var exposure: String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return
            "other users of this machine may use the folder \(path), whose mode is \(mode). What Lens makes in it is "
            + "for you alone; run chmod 700 on it if it has older files."
    }

    /// Lets the next process have it.
    func release() { lock.release() }

    // MARK: The page's address

    /// What pages that are still open know the server by.
    struct PageAddress: Codable {
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
struct LensFolderInUse: Error, CustomStringConvertible {
    var path: String

    var description: String {
        "Lens runs already with the folder \(path). Use its page, end it, or choose another --folder."
    }
}
