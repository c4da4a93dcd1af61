package import LiveTransport
package import Transport

extension LoopbackHost {
    /// Hosts a page at the port that is asked for; else at the last one, so that open pages find the server again, or a free one.
    ///
    /// - Parameters:
    ///   - server: The page's server.
    ///   - wanted: The port that is asked for; 0 for a free one, `nil` for none in particular.
    ///   - last: That of the last run.
    package func listen(
        page server: some Server,
        wanted: Int?,
        last: Int?
    ) async throws(TransportError) -> any Listener {
        if wanted == nil, let last,
            let listener = try? await listen(server, at: SocketAddress(host: "127.0.0.1", port: last))
        {
            return listener
        }
        return try await listen(server, at: SocketAddress(host: "127.0.0.1", port: wanted ?? 0))
    }
}
