import HTTPTypes
import PeerKit

/// What a request asks of the sign-in service.
///
/// Source: supabase/auth `internal/api/api.go`.
enum AuthRoute: Sendable {
    case token, user, update, logout, signUp, addUser, health, settings, keys

    /// What comes before every path; a gateway takes it away from the real service.
    static let prefix = "/auth/v1/"

    static let all: PeerRoutes<AuthRoute> = {
        var routes = PeerRoutes<AuthRoute>()
        routes.on(.post, prefix + "token", .token)
        routes.on(.get, prefix + "user", .user)
        routes.on(.put, prefix + "user", .update)
        routes.on(.post, prefix + "logout", .logout)
        routes.on(.post, prefix + "signup", .signUp)
        routes.on(.post, prefix + "admin/users", .addUser)
        routes.on(.get, prefix + "health", .health)
        routes.on(.get, prefix + "settings", .settings)
        routes.on(.get, prefix + ".well-known/jwks.json", .keys)
        return routes
    }()
}
