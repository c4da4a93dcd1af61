import Foundation
import LensReplay
import LiveTransport
import PageKit
import SessionRecording
import Transport

/// A recorded session on the page, on a socket of this machine.
struct ReplayPage {
    /// The address of the page, with its token.
    let page: String
    /// The recording's name, without its place.
    let name: String
    private let listener: any Listener

    /// Opens a recording and serves it.
    ///
    /// - Parameters:
    ///   - path: The file, which is only read.
    ///   - port: The page's port; 0 for a free one.
    /// - Throws: `SessionError`, `TransportError`.
    static func start(_ path: String, port: Int) async throws -> ReplayPage {
        let session = try SessionReader(path: NSString(string: path).expandingTildeInPath)
        let server = try ReplayPageServer(session, token: PageToken())
        let listener = try await LoopbackHost().listen(
            server,
            at: SocketAddress(host: "127.0.0.1", port: port)
        )
        return ReplayPage(
            page: server.address(at: "127.0.0.1:\(listener.address.port)"),
            name: server.name,
            listener: listener
        )
    }

    /// Ends it.
    func stop() async { await listener.stop() }
}
