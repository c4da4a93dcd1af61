import HTTPTypes
import PeerKit
import Testing

@Suite("Routes of a simulated API")
struct PeerRoutesTests {
    private let routes: PeerRoutes<String> = {
        var routes = PeerRoutes<String>()
        routes.on(.get, "/posts", "list")
        routes.on(.post, "/posts", "create")
        routes.on(.get, "/posts/{id}", "one")
        routes.on(.get, "/posts/new", "form")
        routes.on(.delete, "/posts/{id}/likes/{user}", "unlike")
        return routes
    }()

    private func find(_ method: HTTPRequest.Method, _ path: String) -> String {
        let request = HTTPRequest(method: method, scheme: "http", authority: "h", path: path)
        return switch routes.match(request) {
        case .found(let route, let values):
            ([route] + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(
                separator: " "
            )
        case .otherMethod(let allowed): "not \(method), but \(allowed.map(\.rawValue).joined(separator: " "))"
        case .nowhere: "nowhere"
        }
    }

    @Test(
        arguments: [
            (.get, "/posts", "list"), (.post, "/posts?x=1", "create"), (.get, "/posts/7", "one id=7"),
            (.get, "/posts/a%20b%2Fc", "one id=a b/c"), (.get, "/posts/new", "form"),
            (.delete, "/posts/7/likes/ada", "unlike id=7 user=ada"),
            (.put, "/posts", "not PUT, but GET POST"),
            (.post, "/posts/new", "not POST, but GET"), (.post, "/posts/7", "not POST, but GET"),
            (.get, "/posts/", "nowhere"),
            (.get, "/Posts", "nowhere"), (.get, "/posts/7/likes", "nowhere"), (.get, "/posts/%zz", "nowhere"),
            (.get, "/", "nowhere"),
        ] as [(HTTPRequest.Method, String, String)]
    )
    func `a path leads to its route, fixed words first, with its values, or says which methods it has`(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ expected: String
    ) {
        #expect(find(method, path) == expected)
    }
}
