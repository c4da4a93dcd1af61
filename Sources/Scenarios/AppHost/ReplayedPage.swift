package import CommandKit
package import Foundation
internal import LiveTransport
internal import PageKit
public import SessionPage
public import SessionRecording
internal import Transport

/// A recorded session on the page of its app, on a socket of this machine.
public struct ReplayedPage: Sendable {
    /// What is to be opened in a browser, with the token; for the user alone.
    public let address: String
    /// The recording's name, without its place.
    public let name: String
    private let app: ShownApp
    private let listener: any Listener

    /// Opens a recording and serves it.
    ///
    /// - Parameters:
    ///   - app: The app that was recorded.
    ///   - session: The recording, which is only read.
    ///   - port: The page's port; 0 for a free one.
    ///   - moment: Where the page begins, in seconds since the start; `nil` for the beginning.
    /// - Throws: `SessionError`, `TransportError`.
    public static func start(
        _ app: ShownApp,
        _ session: SessionReader,
        port: Int,
        at moment: Double? = nil
    ) async throws -> ReplayedPage {
        let server = try ReplayPageServer(app, session, token: PageToken(), at: moment)
        let listener = try await LoopbackHost().listen(
            server,
            at: SocketAddress(host: "127.0.0.1", port: port)
        )
        return ReplayedPage(
            address: server.address(at: "127.0.0.1:\(listener.address.port)"),
            name: server.name,
            app: app,
            listener: listener
        )
    }

    /// Ends it.
    public func stop() async { await listener.stop() }

    private struct Facts: Encodable {
        var page: String
        var recording: String
    }

    /// Says where it is, opens it in the browser where that is wanted, and ends it when that is asked for.
    ///
    /// - Parameters:
    ///   - opens: Whether a browser is opened.
    ///   - asJSON: Whether the address is written as JSON.
    ///   - output: Where it is written.
    ///   - mask: The file mode creation mask of the browser.
    ///   - stop: Ends it.
    package func show(
        opens: Bool,
        asJSON: Bool,
        on output: AppOutput,
        _ mask: mode_t,
        until stop: StopRequest
    ) async throws {
        do {
            if asJSON {
                try output.line(of: Facts(page: address, recording: name))
            } else {
                output.line("The recording \(name) is at  \(address)")
                output.line("Ctrl-C ends it.")
            }
            let file = FileManager.default.temporaryDirectory.path + "/lenssim-\(UUID().uuidString).html"
            let browser =
                opens
                ? try BrowserStart(at: address, title: app.name, through: file, mask: mask) {
                    output.warn($0)
                } : nil
            await stop.wait()
            _ = consume browser
        } catch {
            await self.stop()
            throw error
        }
        await self.stop()
    }
}
