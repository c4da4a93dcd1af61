import Foundation
import HTTPTypes
import PeerKit
import Transport

extension SupabaseServer {
    /// Whom a request speaks for.
    struct Caller: Sendable {
        let role: StorageRole
        /// The user, who owns what is stored.
        let subject: String?

        /// The service itself, on behalf of a signed address.
        static let service = Caller(role: .service, subject: nil)
    }

    /// The caller of a route that wants a token.
    func caller(_ call: Call) throws(StorageFailure) -> Caller {
        guard let header = call.request.headerFields[.authorization] else { throw .noAuthorization }
        do {
            let claims = try tokens.verify(Self.token(of: header), now: Date())
            let role = claims["role"]?.string.map { StorageRole(rawValue: $0) } ?? .anonymous
            return Caller(role: role, subject: claims["sub"]?.string)
        } catch {
            throw .unauthorized(error.words)
        }
    }

    /// The scheme may be in any letter case, or absent.
    private static func token(of header: String) -> String {
        let words = header.split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0].lowercased() == "bearer" { return String(words[1]) }
        return header
    }

    /// Whether the caller may do all of that to an object, or to one that it would store under a free name.
    func allows(
        _ caller: Caller,
        _ verbs: Set<StoragePolicy.Verb>,
        _ name: ObjectName,
        _ existing: StoredObject.Row?
    ) -> Bool {
        let owner = existing == nil ? caller.subject : existing?.owner
        return project.policies.allow(caller, verbs, name, owner: owner)
    }

    /// The JSON object in a request's body; an absent body counts as an empty one.
    func json(_ call: Call) async throws(StorageFailure) -> [String: JSONValue] {
        let bytes: [UInt8]
        do { bytes = try await call.body.collect(upTo: 1 << 20) } catch {
            throw error.code == .tooLarge ? .tooLarge : .invalidRequest("request aborted")
        }
        if bytes.isEmpty { return [:] }
        guard let value = try? JSONValue(json: bytes) else {
            throw .validator("Body is not valid JSON but content-type is set to 'application/json'")
        }
        guard let object = value.object else { throw .validator("body must be object") }
        return object
    }
}

extension [String: JSONValue] {
    /// A member that must be a text.
    func text(_ name: String) throws(StorageFailure) -> String {
        guard let value = self[name] else { throw .validator("body must have required property '\(name)'") }
        guard let text = value.string else { throw .validator("body/\(name) must be string") }
        return text
    }

    /// A member that, when present, must be a whole number within limits; texts of digits count.
    func number(_ name: String, in limits: ClosedRange<Int>, default fallback: Int) throws(StorageFailure)
        -> Int
    {
        guard let value = self[name], !value.isNull else { return fallback }
        guard let number = value.integer ?? value.string.flatMap({ Int($0) }) else {
            throw .validator("body/\(name) must be integer")
        }
        guard number >= limits.lowerBound else {
            throw .validator("body/\(name) must be >= \(limits.lowerBound)")
        }
        guard number <= limits.upperBound else {
            throw .validator("body/\(name) must be <= \(limits.upperBound)")
        }
        return number
    }
}
