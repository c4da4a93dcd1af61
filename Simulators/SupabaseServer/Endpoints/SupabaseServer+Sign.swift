import Foundation
import HTTPTypes
import PeerKit
import Transport

extension SupabaseServer {
    /// What a signed address permits, so that one for reading cannot be used for writing.
    enum Scope: String {
        case download, upload
    }

    func sign(_ name: ObjectName, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let lifetime = try Self.lifetime(body)
        let change = try Self.change(body)
        guard let object = try read({ $0.object(name) }), allows(caller, [.select], name, object.row) else {
            throw .objectNotFound
        }
        return .json(.object(["signedURL": .string(readAddress(name, lifetime, change))]))
    }

    /// How a picture is to be changed, where the client wants an address for that.
    private static func change(_ body: [String: JSONValue]) throws(StorageFailure) -> PictureChange? {
        guard let value = body["transform"], !value.isNull else { return nil }
        guard let options = value.object else { throw .validator("body/transform must be object") }
        return try PictureChange(in: "body/transform") { name in
            options[name].flatMap { $0.string ?? $0.integer.map { "\($0)" } }
        }
    }

    func signMany(_ bucket: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let lifetime = try Self.lifetime(body)
        guard let paths = body["paths"]?.array?.map(\.string), !paths.contains(nil), !paths.isEmpty,
            paths.count <= 1000
        else { throw .validator("body must have required property 'paths'") }
        let names = paths.compactMap { $0 }.map { ObjectName(bucket: bucket, key: $0) }
        let found = try read { state in
            names.map { name in
                state.object(name).map { allows(caller, [.select], name, $0.row) } ?? false
            }
        }
        let lines = zip(names, found).map { name, isThere -> JSONValue in
            .object([
                "path": .string(name.key),
                "error": isThere ? .null : "Either the object does not exist or you do not have access to it",
                "signedURL": isThere ? .string(readAddress(name, lifetime)) : .null,
            ])
        }
        return .json(.array(lines))
    }

    func readSigned(_ name: ObjectName, _ call: Call) throws(StorageFailure) -> PeerAnswer {
        let (object, claims) = try signedObject(name, call)
        var answer = try serve(object, call)
        answer.headers[.expires] = Self.expiry(of: claims)
        return answer
    }

    /// The object of a signed address, and what its token says.
    func signedObject(
        _ name: ObjectName,
        _ call: Call
    ) throws(StorageFailure) -> (object: StoredObject, claims: [String: JSONValue]) {
        let claims = try verify(call, name, .download)
        guard let object = try read({ $0.object(name) }) else { throw .objectNotFound }
        return (object, claims)
    }

    static func expiry(of claims: [String: JSONValue]) -> String {
        HTTPDate.text(Int64((claims["exp"]?.number ?? 0).rounded(.down)))
    }

    func signUpload(_ name: ObjectName, _ call: Call) throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let upserts = call.wants("x-upsert", "true")
        let (hasBucket, existing) = try read { ($0.buckets[name.bucket] != nil, $0.object(name)?.row) }
        guard hasBucket else { throw .bucketNotFound }
        guard StorageNames.isKey(name.key) else { throw .key(name.key) }
        let verbs: Set<StoragePolicy.Verb> = upserts ? [.insert, .select, .update] : [.insert]
        guard allows(caller, verbs, name, existing) else { throw .policyViolation }
        if !upserts, existing != nil { throw .duplicateObject }
        let token = token(name, .upload, Int(project.uploadAddressLifetime.seconds)) { claims in
            claims["upsert"] = .bool(upserts)
            claims["owner"] = .optional(caller.subject)
        }
        let url = "/object/upload/sign/\(PercentCoding.encode(name.path, keeping: "/"))?token=\(token)"
        return .json(.object(["url": .string(url), "token": .string(token)]))
    }

    /// Policies were asked when the address was signed; duplicate, type and size are checked now.
    func uploadSigned(_ name: ObjectName, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let claims = try verify(call, name, .upload)
        let upserts = claims["upsert"]?.bool ?? false
        let owner = Caller(role: .service, subject: claims["owner"]?.string)
        _ = try await receive(name, owner, upserts: upserts, call) { _ in true }
        return .json(.object(["Key": .string(name.path)]))
    }

    private func readAddress(_ name: ObjectName, _ lifetime: Int, _ change: PictureChange? = nil) -> String {
        let words = change.flatMap { $0.signed.isEmpty ? nil : $0.signed }
        let token = token(name, .download, lifetime) { claims in
            if let words { claims["transformations"] = .string(words) }
        }
        return
            "/\(words == nil ? "object" : "render/image")/sign/\(PercentCoding.encode(name.path, keeping: "/"))?token=\(token)"
    }

    private func token(
        _ name: ObjectName,
        _ scope: Scope,
        _ lifetime: Int,
        _ add: (inout [String: JSONValue]) -> Void
    ) -> String {
        let now = Int(Date().timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "url": .string(name.path), "scope": .string(scope.rawValue), "iat": .integer(now),
            "exp": .integer(now + lifetime),
        ]
        add(&claims)
        return tokens.sign(claims)
    }

    /// Signature and time first, then the scope, then the very path.
    private func verify(
        _ call: Call,
        _ name: ObjectName,
        _ scope: Scope
    ) throws(StorageFailure) -> [String: JSONValue] {
        guard let token = RequestTarget(call.request)["token"] else {
            throw .validator("querystring must have required property 'token'")
        }
        return try verify(token, name, scope)
    }

    /// The claims of a token that permits this with this object.
    func verify(
        _ token: String,
        _ name: ObjectName,
        _ scope: Scope
    ) throws(StorageFailure) -> [String: JSONValue] {
        let claims: [String: JSONValue]
        do { claims = try tokens.verify(token, now: Date()) } catch { throw .token(error.words) }
        guard claims["scope"]?.string == scope.rawValue else {
            throw .signature("Token is not scoped for \(scope.rawValue)")
        }
        guard claims["url"]?.string == name.path else { throw .signature("Invalid signature") }
        return claims
    }

    /// Seconds, which some clients send as text.
    ///
    /// The upper bound keeps dates within four digits of year.
    private static func lifetime(_ body: [String: JSONValue]) throws(StorageFailure) -> Int {
        guard body["expiresIn"] != nil else {
            throw .validator("body must have required property 'expiresIn'")
        }
        return try body.number("expiresIn", in: 1...1_000_000_000, default: 0)
    }
}
