internal import HTTPTypes
internal import Transport

/// Tells discovery which addresses do not answer.
struct WatchedHTTP: HTTPClient {
    private let base: any HTTPClient
    private let discovery: DiscoveryService

    init(_ base: any HTTPClient, _ discovery: DiscoveryService) {
        (self.base, self.discovery) = (base, discovery)
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        do throws(TransportError) {
            return try await base.send(request, body: body, limits: limits)
        } catch {
            if error.code != .cancelled, let authority = request.authority {
                await discovery.noteFailure(at: authority)
            }
            throw error
        }
    }
}
