import HTTPTypes
import PeerKit

/// The calls of the hub.
enum HubCall: Sendable, CaseIterable {
    case verify, refresh, revoke, pair, confirm
    case events, event, thumbnail, cameras
    case register, unregister
    case addEvent, removeEvent
    case health, description
    // Of the public hub alone.
    case status, exchange, pending, reject
    case publicEvents, publicEvent, publicThumbnail, publicCameras
    case addDevice, devices, deviceToken, removeDevice

    /// Who may call.
    enum Access {
        case everybody
        /// A device that was paired, or the admin.
        case reader
        /// A device that was paired.
        case device
        /// A device that was paired, or the admin, about any device.
        case user
        case admin
    }

    private var place: (method: HTTPRequest.Method, path: String) {
        switch self {
        case .verify: (.post, "/api/v1/mobile/auth/verify")
        case .refresh: (.post, "/api/v1/mobile/auth/refresh")
        case .revoke: (.post, "/api/v1/mobile/auth/revoke")
        case .pair: (.post, "/api/v1/mobile/auth/pair")
        case .confirm: (.post, "/api/v1/mobile/auth/confirm")
        case .events: (.get, "/api/v1/mobile/events")
        case .event: (.get, "/api/v1/mobile/events/{id}")
        case .thumbnail: (.get, "/api/v1/mobile/events/{id}/thumbnail")
        case .cameras: (.get, "/api/v1/mobile/cameras")
        case .register: (.post, "/api/v1/mobile/push/register")
        case .unregister: (.delete, "/api/v1/mobile/push/unregister")
        case .addEvent: (.post, "/api/v1/events")
        case .removeEvent: (.delete, "/api/v1/events/{id}")
        case .health: (.get, "/health")
        case .description: (.get, "/openapi.json")
        case .status: (.get, "/api/v1/mobile/auth/status/{id}")
        case .exchange: (.post, "/api/v1/mobile/auth/exchange")
        case .pending: (.get, "/api/v1/mobile/auth/pending")
        case .reject: (.delete, "/api/v1/mobile/auth/pending/{id}")
        case .publicEvents: (.get, "/api/v1/events")
        case .publicEvent: (.get, "/api/v1/events/{id}")
        case .publicThumbnail: (.get, "/api/v1/thumbnails/{date}/{file}")
        case .publicCameras: (.get, "/api/v1/cameras")
        case .addDevice: (.post, "/api/v1/devices")
        case .devices: (.get, "/api/v1/devices")
        case .deviceToken: (.put, "/api/v1/devices/{id}/token")
        case .removeDevice: (.delete, "/api/v1/devices/{id}")
        }
    }

    var access: Access {
        switch self {
        case .verify, .refresh, .pair, .health, .description: .everybody
        case .status, .exchange, .publicThumbnail: .everybody
        case .events, .event, .thumbnail, .cameras: .reader
        case .publicEvents, .publicEvent, .publicCameras: .reader
        case .revoke, .register, .unregister: .device
        case .addDevice, .devices, .deviceToken, .removeDevice: .user
        case .confirm, .addEvent, .removeEvent, .pending, .reject: .admin
        }
    }

    /// Whether a dialect has the call.
    private func isOf(_ dialect: ArgusProject.Dialect) -> Bool {
        switch self {
        case .refresh, .revoke, .pair, .confirm, .addEvent, .removeEvent, .health, .description: true
        case .verify, .events, .event, .thumbnail, .cameras, .register, .unregister:
            dialect == .seed
        case .status, .exchange, .pending, .reject, .publicEvents, .publicEvent, .publicThumbnail,
            .publicCameras, .addDevice, .devices, .deviceToken, .removeDevice:
            dialect == .hub
        }
    }

    /// The calls of a dialect.
    static func routes(of dialect: ArgusProject.Dialect) -> PeerRoutes<HubCall> {
        var routes = PeerRoutes<HubCall>()
        for call in allCases where call.isOf(dialect) { routes.on(call.place.method, call.place.path, call) }
        return routes
    }

    /// The description of a dialect's API, as OpenAPI 3.1.
    static func openAPI(of dialect: ArgusProject.Dialect) -> [UInt8] {
        switch dialect {
        case .seed: PackageResources.openapi_json
        case .hub: PackageResources.openapi_hub_json
        }
    }
}
