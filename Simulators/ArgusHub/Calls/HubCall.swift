import HTTPTypes
import PeerKit

/// The calls of the hub.
enum HubCall: Sendable, CaseIterable {
    case verify, refresh, revoke, pair, confirm
    case events, event, thumbnail, cameras
    case register, unregister
    case addEvent, removeEvent
    case health, description

    /// Who may call.
    enum Access {
        case everybody
        /// A device that was paired, or the admin.
        case reader
        /// A device that was paired.
        case device
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
        }
    }

    var access: Access {
        switch self {
        case .verify, .refresh, .pair, .health, .description: .everybody
        case .events, .event, .thumbnail, .cameras: .reader
        case .revoke, .register, .unregister: .device
        case .confirm, .addEvent, .removeEvent: .admin
        }
    }

    static let routes: PeerRoutes<HubCall> = {
        var routes = PeerRoutes<HubCall>()
        for call in allCases { routes.on(call.place.method, call.place.path, call) }
        return routes
    }()

    /// The description of the API, as OpenAPI 3.1.
    static let openAPI: [UInt8] = PackageResources.openapi_json
}
