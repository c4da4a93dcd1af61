internal import Foundation
internal import HTTPTypes
internal import ServiceClient
internal import Services

/// The calls of the app's own description.
struct SeedCalls: HubCalls {
    /// What stands before all paths.
    private static let root = "/api/v1/mobile"

    /// `POST …/auth/verify`: pairs a device by a code that the hub shows.
    static func verification(of code: String, for device: HubDevice) throws(ServiceFailure) -> HubQuestion<
        AuthToken
    > {
        let request = VerifyRequest(code: code, deviceID: device.idText, deviceName: device.shortName)
        var call = try Call.post("\(root)/auth/verify", request)
        call.isAuthorized = false
        return HubQuestion(call)
    }

    /// `GET …/events?page=…&page_size=…`.
    func events(page: Int, size: Int) -> HubQuestion<EventsResponse> {
        HubQuestion(.get("\(Self.root)/events", query: [("page", "\(page)"), ("page_size", "\(size)")]))
    }

    /// `GET …/events/{id}`.
    func event(_ id: String) -> HubQuestion<Event> {
        HubQuestion(.get("\(Self.root)/events/\(HubPath.segment(id))"))
    }

    /// `GET …/cameras`.
    func cameras() -> HubQuestion<[Camera]> {
        HubQuestion(.get("\(Self.root)/cameras"), as: CamerasResponse.self, \.cameras)
    }

    /// Where the event says, else `…/events/{id}/thumbnail`.
    func thumbnail(of event: Event, at hub: [ServiceAddress]) -> ThumbnailPlace? {
        guard let written = event.thumbnailURL else {
            return .atHub("\(Self.root)/events/\(HubPath.segment(event.id))/thumbnail")
        }
        return ThumbnailPlace(written, hub: hub)
    }

    /// `POST …/push/register`.
    func registration(_ token: String, of device: HubDevice) throws(ServiceFailure) -> Call {
        try .post("\(Self.root)/push/register", PushRegistration(token: token, platform: device.platform))
    }

    /// `POST …/auth/refresh` with the refresh token.
    func refresh(_ last: BearerToken) throws(ServiceFailure) -> HubQuestion<AuthToken>? {
        guard let refresh = last.refresh else { return nil }
        var call = try Call.post("\(Self.root)/auth/refresh", RefreshRequest(token: refresh, row: nil))
        call.isAuthorized = false
        return HubQuestion(call)
    }

    /// `DELETE …/push/unregister` and `POST …/auth/revoke`.
    func endings(of token: BearerToken, for device: UUID, isLeaving: Bool) throws(ServiceFailure) -> [Call] {
        var calls: [Call] = []
        if isLeaving { calls.append(Call(.delete, "\(Self.root)/push/unregister", repeats: .always)) }
        if let refresh = token.refresh {
            calls.append(try .post("\(Self.root)/auth/revoke", RefreshRequest(token: refresh, row: nil)))
        }
        return calls
    }
}
