import HTTPTypes
import PeerKit
import PlainXML

/// The rules of a bucket for pages of other origins, as clients read and set them.
///
/// Source: AWS, "PutBucketCors", "GetBucketCors" and "DeleteBucketCors" (API reference of S3).
extension S3Server {
    func crossOrigin(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let rules = try read(call.bucket) { $0.crossOrigin }
        guard !rules.isEmpty else {
            throw S3Failure(
                404,
                "NoSuchCORSConfiguration",
                "The CORS configuration does not exist",
                [("BucketName", call.bucket)]
            )
        }
        return .document(PlainElement("CORSConfiguration", rules.map(\.element)))
    }

    func putCrossOrigin(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        let body = try await call.document(upTo: 65_536, access)
        guard let element = try? PlainElement(reading: body), element.name == "CORSConfiguration" else {
            throw .malformedXML
        }
        var rules: [CrossOriginRule] = []
        for rule in element.all("CORSRule") { rules.append(try CrossOriginRule(reading: rule)) }
        guard (1...CrossOriginRule.countMaximum).contains(rules.count),
            rules.count == element.children.count
        else { throw .malformedXML }
        try setCrossOrigin(rules, call)
        return .empty()
    }

    func deleteCrossOrigin(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try setCrossOrigin([], call)
        return .empty(status: 204)
    }

    private func setCrossOrigin(_ rules: [CrossOriginRule], _ call: S3Call) throws(S3Failure) {
        try change(call.bucket) { bucket, _ throws(S3Failure) in
            var changed = bucket
            changed.crossOrigin = rules
            try durably { try $0.write(changed, named: call.bucket) }
            bucket.crossOrigin = rules
        }
    }
}

extension CrossOriginRule {
    /// The most rules of a bucket.
    fileprivate static let countMaximum = 100
    private static let knownMethods = ["GET", "PUT", "HEAD", "POST", "DELETE"]

    fileprivate init(reading element: PlainElement) throws(S3Failure) {
        func texts(_ name: String) -> [String] { element.all(name).map(\.text) }
        self.init(
            origins: texts("AllowedOrigin"),
            methods: texts("AllowedMethod"),
            headers: texts("AllowedHeader"),
            exposes: texts("ExposeHeader"),
            age: nil,
            id: element["ID"]
        )
        guard !origins.isEmpty, !methods.isEmpty else { throw .malformedXML }
        if let method = methods.first(where: { !Self.knownMethods.contains($0) }) {
            throw .request("Found unsupported HTTP method in CORS config. Unsupported method is \(method)")
        }
        if let origin = origins.first(where: Self.hasManyStars) {
            throw .request("AllowedOrigin \"\(origin)\" can not have more than one wildcard.")
        }
        if let header = headers.first(where: Self.hasManyStars) {
            throw .request("AllowedHeader \"\(header)\" can not have more than one wildcard.")
        }
        if let text = element["MaxAgeSeconds"] {
            guard let seconds = Int(text), seconds >= 0 else { throw .malformedXML }
            age = seconds
        }
    }

    private static func hasManyStars(_ pattern: String) -> Bool {
        pattern.utf8.count { $0 == UInt8(ascii: "*") } > 1
    }

    fileprivate var element: PlainElement {
        let parts =
            (id.map { [("ID", $0)] } ?? []) + headers.map { ("AllowedHeader", $0) }
            + methods.map { ("AllowedMethod", $0) } + origins.map { ("AllowedOrigin", $0) }
            + exposes.map { ("ExposeHeader", $0) } + (age.map { [("MaxAgeSeconds", "\($0)")] } ?? [])
        return PlainElement("CORSRule", parts.map { PlainElement($0.0, $0.1) })
    }
}
