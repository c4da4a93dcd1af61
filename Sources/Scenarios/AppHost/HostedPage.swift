public import LiveTransport
public import PageKit
internal import Transport

/// The page of an app, for the browsers of this machine.
public struct HostedPage: Sendable {
    /// What is to be opened in a browser, with the token; for the user alone.
    public let address: String
    private let listener: any Listener

    /// Hosts a page with the token and at the port of the folder's last run, so that open pages find it again.
    ///
    /// - Parameters:
    ///   - folder: Keeps token and port for the next run.
    ///   - host: Where it is hosted.
    ///   - port: The port that is asked for; 0 for a free one, `nil` for the last one, or a free one where that is taken.
    ///   - server: Makes the server of the page.
    /// - Throws: `TransportError` for a port that cannot be used, `FolderUnusable`.
    public init(
        in folder: AppFolder,
        on host: LoopbackHost,
        port: Int? = nil,
        server: (PageToken) -> any AddressedServer
    ) async throws {
        let last = folder.lastAddress()
        let token = last?.token ?? PageToken()
        let server = server(token)
        if port == nil, let last,
            let again = try? await host.listen(server, at: SocketAddress(host: "127.0.0.1", port: last.port))
        {
            listener = again
        } else {
            listener = try await host.listen(server, at: SocketAddress(host: "127.0.0.1", port: port ?? 0))
        }
        address = server.address(at: "127.0.0.1:\(listener.address.port)")
        do { try folder.keep(token, port: listener.address.port) } catch {
            await listener.stop()
            throw error
        }
    }

    /// Ends it, and the pages that are open.
    public func stop() async { await listener.stop() }
}
