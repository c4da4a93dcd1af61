import PeerKit
import PlainXML

extension S3Server {
    func listParts(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let upload = try upload(call)
        let most = min(try call.number("max-parts", in: 0...Int(Int32.max)) ?? 1000, 1000)
        let marker = try call.number("part-number-marker", in: 0...Int(Int32.max)) ?? 0
        let following = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let shown = following.prefix(most)
        var elements = [
            PlainElement("Bucket", call.bucket), PlainElement("Key", call.key),
            PlainElement("UploadId", upload.id), PlainElement("PartNumberMarker", "\(marker)"),
        ]
        if let last = shown.last { elements.append(PlainElement("NextPartNumberMarker", "\(last.key)")) }
        elements += [
            PlainElement("MaxParts", "\(most)"),
            PlainElement("IsTruncated", "\(following.count > shown.count)"),
            PlainElement("StorageClass", "STANDARD"), Self.owner,
        ]
        for (number, part) in shown {
            var line = [
                PlainElement("PartNumber", "\(number)"), PlainElement("LastModified", part.modified.listed),
                PlainElement("ETag", "\"\(part.entityTag)\""), PlainElement("Size", "\(part.content.size)"),
            ]
            if let algorithm = upload.algorithm, let value = part.checksum {
                line.append(PlainElement(algorithm.element, Base64.encoded(value)))
            }
            elements.append(PlainElement("Part", line))
        }
        return .document(PlainElement("ListPartsResult", elements))
    }

    func listUploads(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let writing = try KeyWriting(call)
        let most = min(try call.number("max-uploads", in: 0...Int(Int32.max)) ?? 1000, 1000)
        let (prefix, marker) = (call.target["prefix"] ?? "", call.target["key-marker"] ?? "")
        let idMarker = call.target["upload-id-marker"] ?? ""
        if call.target["delimiter"]?.isEmpty == false { throw .notModelled("delimiter of uploads") }
        let uploads = try read(call.bucket) { Array($0.uploads.values) }
            .filter { $0.key.utf8.starts(with: prefix.utf8) }
            .filter { upload in
                if upload.key.utf8.elementsEqual(marker.utf8), !idMarker.isEmpty {
                    return upload.id > idMarker
                }
                return marker.isEmpty || KeyOrder.precedes(marker, upload.key)
            }
            .sorted { $0.key == $1.key ? $0.id < $1.id : KeyOrder.precedes($0.key, $1.key) }
        let shown = uploads.prefix(most)
        var elements = [
            PlainElement("Bucket", call.bucket), PlainElement("KeyMarker", writing.text(marker)),
            PlainElement("UploadIdMarker", idMarker), PlainElement("Prefix", writing.text(prefix)),
            PlainElement("MaxUploads", "\(most)"),
            PlainElement("IsTruncated", "\(uploads.count > shown.count)"),
        ]
        if uploads.count > shown.count, let last = shown.last {
            elements.append(PlainElement("NextKeyMarker", writing.text(last.key)))
            elements.append(PlainElement("NextUploadIdMarker", last.id))
        }
        elements += writing.elements
        for upload in shown {
            elements.append(
                PlainElement(
                    "Upload",
                    [
                        PlainElement("Key", writing.text(upload.key)), PlainElement("UploadId", upload.id),
                        Self.owner, PlainElement("StorageClass", "STANDARD"),
                        PlainElement("Initiated", upload.initiated.listed),
                    ]
                )
            )
        }
        return .document(PlainElement("ListMultipartUploadsResult", elements))
    }
}
