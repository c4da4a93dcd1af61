import AWSSignature
import HTTPTypes
import PeerKit
import Transport

/// One request on its way through the server, taken apart.
struct S3Call: Sendable {
    let request: HTTPRequest
    let body: HTTPBody
    let number: Int
    let target: RequestTarget
    /// `nil` for a request of the account.
    let bucketName: String?
    /// `nil` for a request of a bucket.
    let objectKey: String?

    var fields: HTTPFields { request.headerFields }

    /// Takes a request apart.
    ///
    /// - Parameter domain: Below which buckets are hosts.
    init(_ request: HTTPRequest, _ body: HTTPBody, number: Int, domain: String?) throws(S3Failure) {
        (self.request, self.body, self.number) = (request, body, number)
        target = RequestTarget(request)
        var path = target.path.drop { $0 == "/" }[...]
        var bucket = Self.host(of: request, below: domain)
        if bucket == nil {
            let end = path.firstIndex(of: "/") ?? path.endIndex
            guard let name = PercentCoding.decode(path[..<end]) else { throw .uri }
            if !name.isEmpty { bucket = name }
            path = path[end...].dropFirst()
        } else {
            path = target.path.dropFirst()[...]
        }
        guard let key = PercentCoding.decode(path) else { throw .uri }
        bucketName = bucket
        objectKey = key.isEmpty ? nil : key
    }

    /// The bucket that the host names.
    private static func host(of request: HTTPRequest, below domain: String?) -> String? {
        guard let domain, let authority = request.authority?.lowercased() else { return nil }
        let host = authority.prefix { $0 != ":" }
        guard host.hasSuffix("." + domain.lowercased()) else { return nil }
        return String(host.dropLast(domain.count + 1))
    }

    /// The bucket of a request that has one.
    var bucket: String { bucketName ?? "" }
    /// The key of a request that has one.
    var key: String { objectKey ?? "" }

    /// A whole number in the query.
    func number(_ name: String, in range: ClosedRange<Int>) throws(S3Failure) -> Int? {
        guard let text = target[name], !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .argument("Provided \(name) not an integer or within integer range", name, text)
        }
        return number
    }

    /// The document in the body.
    func document(upTo limit: Int, _ access: Access) async throws(S3Failure) -> [UInt8] {
        var received = try ReceivedBody(self, access)
        let budget = MemoryBudget(limit: limit + MemoryBudget.rowBytes)
        var sink = try ContentSink(budget, isHashed: access.isHashed, received.algorithm)
        try await received.read(into: &sink, upTo: limit)
        return sink.content().bytes
    }
}
