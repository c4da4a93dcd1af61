import AWSSignature
import Foundation
import PeerKit
import PlainXML

extension S3Server {
    private static let lineCountMaximum = 1000

    /// How a listing writes keys: as they are, or with escapes.
    struct KeyWriting {
        private let isEscaped: Bool
        /// The element that says so.
        let elements: [PlainElement]

        init(_ call: S3Call) throws(S3Failure) {
            let type = call.target["encoding-type"] ?? ""
            guard ["", "url"].contains(type) else {
                throw .argument("Invalid Encoding Method specified in Request", "encoding-type", type)
            }
            isEscaped = type == "url"
            elements = isEscaped ? [PlainElement("EncodingType", "url")] : []
        }

        /// The service writes a blank as `+`; clients read `%20` as well.
        func text(_ key: String) -> String {
            isEscaped ? CanonicalEncoding.encode(key, keepsSlash: true) : key
        }
    }

    func list(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let marker = call.target["marker"] ?? ""
        return try list(call, after: marker) { writing, listing, delimiter in
            var elements = [PlainElement("Marker", writing.text(marker))]
            // With a delimiter alone; clients take the last key otherwise.
            if listing.isTruncated, delimiter != nil, let last = listing.lines.last {
                elements.append(PlainElement("NextMarker", writing.text(last.name)))
            }
            return elements
        }
    }

    func listPaged(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        var marker = call.target["start-after"] ?? ""
        let token = call.target["continuation-token"]
        if let token {
            guard let bytes = Data(base64Encoded: token), let text = String(validating: bytes, as: UTF8.self),
                !text.isEmpty
            else {
                throw .argument("The continuation token provided is incorrect", "continuation-token", token)
            }
            marker = text
        }
        return try list(call, after: marker, showsOwner: call.target["fetch-owner"] == "true") {
            writing,
            listing,
            _ in
            var elements = [PlainElement("KeyCount", "\(listing.lines.count)")]
            if let token { elements.append(PlainElement("ContinuationToken", token)) }
            if let after = call.target["start-after"] {
                elements.append(PlainElement("StartAfter", writing.text(after)))
            }
            if listing.isTruncated, let last = listing.lines.last {
                let next = Base64.encoded(last.name.utf8)
                elements.append(PlainElement("NextContinuationToken", next))
            }
            return elements
        }
    }

    private func list(
        _ call: S3Call,
        after marker: String,
        showsOwner: Bool = true,
        _ more: (KeyWriting, Listing<StoredObject>, String?) -> [PlainElement]
    ) throws(S3Failure) -> PeerAnswer {
        let writing = try KeyWriting(call)
        let asked = try call.number("max-keys", in: 0...Int(Int32.max)) ?? Self.lineCountMaximum
        let prefix = call.target["prefix"] ?? ""
        let delimiter = call.target["delimiter"].flatMap { $0.isEmpty ? nil : $0 }
        let objects = try read(call.bucket) { $0.objects }
        let listing = Listing(
            of: objects,
            key: \.key,
            under: prefix,
            delimiter: delimiter,
            after: marker,
            atMost: min(asked, Self.lineCountMaximum)
        )
        var elements = [PlainElement("Name", call.bucket), PlainElement("Prefix", writing.text(prefix))]
        elements += more(writing, listing, delimiter)
        elements.append(PlainElement("MaxKeys", "\(min(asked, Self.lineCountMaximum))"))
        if let delimiter { elements.append(PlainElement("Delimiter", writing.text(delimiter))) }
        elements.append(PlainElement("IsTruncated", "\(listing.isTruncated)"))
        elements += writing.elements
        for line in listing.lines {
            switch line {
            case .value(let key, let object):
                elements.append(Self.line(object, writing.text(key), showsOwner: showsOwner))
            case .prefix(let name):
                elements.append(
                    PlainElement("CommonPrefixes", [PlainElement("Prefix", writing.text(name))])
                )
            }
        }
        return .document(PlainElement("ListBucketResult", elements))
    }

    private static func line(_ object: StoredObject, _ key: String, showsOwner: Bool) -> PlainElement {
        var elements = [
            PlainElement("Key", key), PlainElement("LastModified", object.modified.listed),
            PlainElement("ETag", object.quotedTag), PlainElement("Size", "\(object.content.size)"),
            PlainElement("StorageClass", object.fields.value("x-amz-storage-class") ?? "STANDARD"),
        ]
        if let checksum = object.checksum {
            elements.append(PlainElement("ChecksumAlgorithm", checksum.algorithm.rawValue))
        }
        return PlainElement("Contents", showsOwner ? elements + [owner] : elements)
    }
}
