import HTTPTypes
import PeerKit

/// What a request asks for.
///
/// Source: supabase/storage `src/http/routes/bucket`, `src/http/routes/object`, `src/http/routes/render`,
/// `src/http/routes/tus`.
enum Route: Sendable, Hashable {
    /// Whose right to read counts.
    enum Access: Sendable, Hashable {
        /// The token's if it is good, otherwise nobody's.
        case lenient
        /// The token's, which must be good.
        case authenticated
        /// Nobody's: only public buckets.
        case open
    }

    case listBuckets
    case createBucket
    case bucket(String)
    case updateBucket(String)
    case deleteBucket(String)
    case emptyBucket(String)

    case upload(ObjectName, replaces: Bool)
    case download(ObjectName, Access)
    case info(ObjectName, Access)
    case list(String)
    case listPaged(String)
    case move
    case copy
    case removeMany(String)
    case remove(ObjectName)

    case render(ObjectName, Access)
    case renderSigned(ObjectName)

    case sign(ObjectName)
    case signMany(String)
    case readSigned(ObjectName)
    case signUpload(ObjectName)
    case uploadSigned(ObjectName)

    /// An upload in parts, or all of them where there is no identifier.
    case resumable(String?, isSigned: Bool)

    /// What comes before every path; a gateway takes it away from the real service.
    private static let prefix = "/storage/v1/"

    /// Reads method and path.
    init(_ request: HTTPRequest) throws(StorageFailure) {
        let target = RequestTarget(request)
        let method = request.method.rawValue.uppercased()
        guard target.path.hasPrefix(Self.prefix) else {
            throw StorageFailure.route(method, target.path)
        }
        guard let segments = target.segments?.dropFirst(2).map({ $0 }) else {
            throw StorageFailure.validator("'\(target.path)' is not a valid url component")
        }
        let found: Route? =
            switch segments.first {
            case "bucket": Self.bucketRoute(method, segments.dropFirst().filter { !$0.isEmpty })
            case "object": Self.objectRoute(method, Array(segments.dropFirst()))
            case "render": Self.renderRoute(method, Array(segments.dropFirst()))
            case "upload": Self.resumableRoute(method, segments.dropFirst().filter { !$0.isEmpty })
            default: nil
            }
        guard let found else { throw StorageFailure.route(method, target.path) }
        self = found
    }

    private static func bucketRoute(_ method: String, _ segments: [String]) -> Route? {
        switch (method, segments.count) {
        case ("GET", 0): .listBuckets
        case ("POST", 0): .createBucket
        case ("GET", 1): .bucket(segments[0])
        case ("PUT", 1): .updateBucket(segments[0])
        case ("DELETE", 1): .deleteBucket(segments[0])
        case ("POST", 2) where segments[1] == "empty": .emptyBucket(segments[0])
        default: nil
        }
    }

    private static func renderRoute(_ method: String, _ segments: [String]) -> Route? {
        guard ["GET", "HEAD"].contains(method), segments.first == "image", segments.count > 3 else {
            return nil
        }
        let name = ObjectName(bucket: segments[2], key: segments[3...].joined(separator: "/"))
        return switch segments[1] {
        case "public": .render(name, .open)
        case "authenticated": .render(name, .authenticated)
        case "sign": .renderSigned(name)
        default: nil
        }
    }

    private static func resumableRoute(_ method: String, _ segments: [String]) -> Route? {
        guard segments.first == "resumable" else { return nil }
        let isSigned = segments.count > 1 && segments[1] == "sign"
        let rest = segments.dropFirst(isSigned ? 2 : 1)
        guard rest.count <= 1 else { return nil }
        let methods = rest.isEmpty ? ["OPTIONS", "POST"] : ["OPTIONS", "HEAD", "PATCH", "DELETE"]
        return methods.contains(method) ? .resumable(rest.first, isSigned: isSigned) : nil
    }

    /// Fixed words win over bucket names, as in the service's router.
    private static func objectRoute(_ method: String, _ segments: [String]) -> Route? {
        func name(after count: Int) -> ObjectName? {
            guard segments.count > count + 1 else { return nil }
            return ObjectName(bucket: segments[count], key: segments[(count + 1)...].joined(separator: "/"))
        }
        let words = segments.prefix(2)
        switch method {
        case "GET", "HEAD":
            switch words.first {
            case "public": return name(after: 1).map { .download($0, .open) }
            case "authenticated": return name(after: 1).map { .download($0, .authenticated) }
            case "sign": return name(after: 1).map { .readSigned($0) }
            case "info":
                switch words.last {
                case "public": return name(after: 2).map { .info($0, .open) }
                case "authenticated": return name(after: 2).map { .info($0, .authenticated) }
                default: return name(after: 1).map { .info($0, .authenticated) }
                }
            default: return name(after: 0).map { .download($0, method == "HEAD" ? .authenticated : .lenient) }
            }
        case "POST":
            switch (words.first, segments.count) {
            case ("move", 1): return .move
            case ("copy", 1): return .copy
            case ("list", 2): return .list(segments[1])
            case ("list-v2", 2): return .listPaged(segments[1])
            case ("sign", 2): return .signMany(segments[1])
            case ("sign", _): return name(after: 1).map { .sign($0) }
            case ("upload", 3...) where segments[1] == "sign": return name(after: 2).map { .signUpload($0) }
            default: return name(after: 0).map { .upload($0, replaces: false) }
            }
        case "PUT":
            if words.elementsEqual(["upload", "sign"]) { return name(after: 2).map { .uploadSigned($0) } }
            return name(after: 0).map { .upload($0, replaces: true) }
        case "DELETE":
            if segments.count == 1, let bucket = segments.first { return .removeMany(bucket) }
            return name(after: 0).map { .remove($0) }
        default: return nil
        }
    }
}
