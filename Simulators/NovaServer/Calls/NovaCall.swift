import HTTPTypes
import PeerKit

/// The calls of the API, and what else the service has.
enum NovaCall: Sendable, CaseIterable {
    case signIn, signUp, apple, refresh, signOut
    case feed, post, publish, removePost, like, unlike, comments, comment
    case presign, search
    case user, changeUser, removeUser
    case notifications, analytics
    case drawnPicture, avatar, keys, description

    /// Whether a call has an idempotency key.
    enum Key { case required, optional, none }

    private var place: (method: HTTPRequest.Method, path: String) {
        switch self {
        case .signIn: (.post, "/auth/signin")
        case .signUp: (.post, "/auth/signup")
        case .apple: (.post, "/auth/apple")
        case .refresh: (.post, "/auth/refresh")
        case .signOut: (.post, "/auth/signout")
        case .feed: (.get, "/feed")
        case .post: (.get, "/posts/{id}")
        case .publish: (.post, "/posts")
        case .removePost: (.delete, "/posts/{id}")
        case .like: (.post, "/posts/{id}/like")
        case .unlike: (.delete, "/posts/{id}/like")
        case .comments: (.get, "/posts/{id}/comments")
        case .comment: (.post, "/posts/{id}/comments")
        case .presign: (.post, "/upload/presign")
        case .search: (.get, "/search/users")
        case .user: (.get, "/users/{id}")
        case .changeUser: (.patch, "/users/{id}")
        case .removeUser: (.delete, "/users/{id}")
        case .notifications: (.get, "/notifications")
        case .analytics: (.post, "/analytics/events")
        case .drawnPicture: (.get, "/pictures/{id}")
        case .avatar: (.get, "/avatars/{id}/{number}")
        case .keys: (.get, "/.well-known/jwks.json")
        case .description: (.get, "/openapi.json")
        }
    }

    /// Whether anybody may make the call.
    var isOpen: Bool {
        switch self {
        case .signIn, .signUp, .apple, .refresh, .analytics, .drawnPicture, .avatar, .keys, .description: true
        default: false
        }
    }

    var key: Key {
        switch self {
        case .publish, .like, .comment: .required
        case .removePost, .unlike, .changeUser, .removeUser, .analytics: .optional
        default: .none
        }
    }

    /// Whether the call may change something, so that its answer can be lost after its effect.
    var isChange: Bool { place.method != .get }

    /// Bytes of the longest body.
    func bodyLimit(_ project: NovaProject) -> Int {
        switch self {
        case .changeUser: project.avatarLimit + 65_536
        case .analytics: 1 << 20
        default: 65_536
        }
    }

    static let routes: PeerRoutes<NovaCall> = {
        var routes = PeerRoutes<NovaCall>()
        for call in allCases {
            routes.on(call.place.method, call.place.path, call)
            // What can be read can be asked about, too (RFC 9110 section 9.3.2).
            if call.place.method == .get { routes.on(.head, call.place.path, call) }
        }
        return routes
    }()

    /// The description of the API, as OpenAPI 3.1.
    static let openAPI: [UInt8] = PackageResources.openapi_json
}
