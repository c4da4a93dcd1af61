internal import Foundation
internal import HTTPTypes
internal import ServiceClient
internal import Services

/// The calls of the public hub, as it runs.
struct PublicHubCalls: HubCalls {
    /// What stands before all paths.
    private static let root = "/api/v1"

    // MARK: Pairing

    /// `POST …/mobile/auth/pair`: a code that the person types into the hub's page.
    static func code(for device: HubDevice) throws(ServiceFailure) -> HubQuestion<CodeResponse> {
        let request = CodeRequest(
            deviceID: device.idText,
            platform: device.platform,
            deviceName: device.shortName
        )
        var call = try Call.post("\(root)/mobile/auth/pair", request)
        call.isAuthorized = false
        return HubQuestion(call)
    }

    /// `GET …/mobile/auth/status/{code}`.
    static func status(of code: String) -> HubQuestion<CodeStatus> {
        var call = Call.get("\(root)/mobile/auth/status/\(HubPath.segment(code))")
        call.isAuthorized = false
        return HubQuestion(call)
    }

    /// `POST …/mobile/auth/exchange`: the tokens for a code that a person has confirmed.
    static func exchange(_ code: String) throws(ServiceFailure) -> HubQuestion<AuthToken> {
        var call = try Call.post("\(root)/mobile/auth/exchange", CodeExchange(code: code))
        call.isAuthorized = false
        return HubQuestion(call)
    }

    // MARK: HubCalls

    /// `GET …/events?limit=…&offset=…`.
    func events(page: Int, size: Int) -> HubQuestion<EventsResponse> {
        let query = [(name: "limit", value: "\(size)"), (name: "offset", value: "\((page - 1) * size)")]
        return HubQuestion(.get("\(Self.root)/events", query: query), as: PublicHubPage.self) { reply in
            EventsResponse(events: reply.events.map(\.event), total: reply.total, page: page, pageSize: size)
        }
    }

    /// `GET …/events/{id}`.
    func event(_ id: String) -> HubQuestion<Event> {
        HubQuestion(.get("\(Self.root)/events/\(HubPath.segment(id))"), as: PublicHubEvent.self, \.event)
    }

    /// `GET …/cameras`, which is answered with a bare list.
    func cameras() -> HubQuestion<[Camera]> { HubQuestion(.get("\(Self.root)/cameras")) }

    /// Where the event says.
    func thumbnail(of event: Event, at hub: [ServiceAddress]) -> ThumbnailPlace? {
        event.thumbnailURL.flatMap { ThumbnailPlace($0, hub: hub) }
    }

    /// `POST …/devices`, which replaces what the hub has of the device.
    func registration(_ token: String, of device: HubDevice) throws(ServiceFailure) -> Call {
        let registration = DeviceRegistration(
            deviceID: device.idText,
            platform: device.platform,
            name: device.shortName,
            token: token
        )
        return try .post("\(Self.root)/devices", registration)
    }

    /// `POST …/mobile/auth/refresh` with the refresh token and the hub's own ID of the device.
    func refresh(_ last: BearerToken) throws(ServiceFailure) -> HubQuestion<AuthToken>? {
        guard let refresh = last.refresh, let row = last.holder else { return nil }
        var call = try Call.post("\(Self.root)/mobile/auth/refresh", RefreshRequest(token: refresh, row: row))
        call.isAuthorized = false
        return HubQuestion(call)
    }

    /// `POST …/mobile/auth/revoke` and `DELETE …/devices/{device_id}`, with which the hub forgets the device.
    func endings(of token: BearerToken, for device: UUID, isLeaving: Bool) throws(ServiceFailure) -> [Call] {
        var calls: [Call] = []
        if let refresh = token.refresh {
            calls.append(
                try .post("\(Self.root)/mobile/auth/revoke", RefreshRequest(token: refresh, row: nil))
            )
        }
        if isLeaving {
            let path = "\(Self.root)/devices/\(device.uuidString.lowercased())"
            calls.append(Call(.delete, path, repeats: .always))
        }
        return calls
    }
}
