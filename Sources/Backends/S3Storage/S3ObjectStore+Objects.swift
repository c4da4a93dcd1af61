internal import AWSSignature
internal import HTTPTypes
internal import ObjectTransfer
internal import PlainXML
internal import ServiceClient
public import Services

extension S3ObjectStore {
    /// Asks for a page of names, by version 2 of the interface.
    ///
    /// Source: AWS, `ListObjectsV2` (API reference of S3).
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        let call = try prepareAny("list", ObjectKey(prefix))
        guard (1...1000).contains(limit) else {
            throw call.error(.invalidRequest, "a page has 1 to 1000 objects, not \(limit)")
        }
        // Keys may hold what XML cannot; so they come with escapes.
        var query = "encoding-type=url&list-type=2&max-keys=\(limit)"
        if let token { query = "continuation-token=\(CanonicalEncoding.encode(token))&" + query }
        if !prefix.isEmpty { query += "&prefix=\(CanonicalEncoding.encode(prefix))" }
        let document = try await call.document(call.request(.get, inBucket: query), "ListBucketResult")
        let objects = document.all("Contents").compactMap { Self.listed($0) }
        let next = document["NextContinuationToken"]
        guard objects.count == document.all("Contents").count, objects.count <= limit,
            (document["IsTruncated"] == "true") == (next?.isEmpty == false)
        else { throw call.error(.serverError, "a list of objects, but not the page that was asked for") }
        return ObjectPage(objects: objects, next: next)
    }

    private static func listed(_ element: PlainElement) -> ListedObject? {
        guard
            let key = element["Key"].flatMap({ CanonicalEncoding.decode($0, plusIsBlank: true) })
                .flatMap({ String(validating: $0, as: UTF8.self) }),
            let size = element["Size"].flatMap({ Int($0) }), size >= 0, let tag = element["ETag"]
        else { return nil }
        return ListedObject(key: ObjectKey(key), size: size, entityTag: StoreText.entityTag(tag))
    }

    /// Has the service copy an object, with its type and its metadata.
    ///
    /// An object of up to 5 GB, as the service says.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let source = try prepare("copy", key)
        let call = try prepare("copy", newKey)
        let fields = [
            "x-amz-copy-source": "/"
                + CanonicalEncoding.encode("\(call.endpoint.bucket)/\(key.path)", keepsSlash: true),
            "if-none-match": "*",
        ]
        do throws(ObjectStoreError) {
            var request = try call.request(.put, fields: fields)
            request.body = try await call.once(request.body)
            _ = try await call.document(request, "CopyObjectResult")
        } catch {
            // What is absent is the source.
            throw error.code == .notFound ? source.error(.notFound, error.detail) : error
        }
    }

    /// Signs an address; does not ask the service.
    ///
    /// It is good for one second to seven days, with temporary keys until they end. One for writing takes the media type that it was made
    /// for, which whoever stores the object sends as `Content-Type`, and replaces what is there.
    public func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String {
        let call = try prepare("sign", key)
        let seconds = Int(lifetime.components.seconds)
        guard (1...604_800).contains(seconds) else {
            throw call.error(
                .invalidRequest,
                "an address is good for 1 to 604800 seconds, not for \(lifetime)"
            )
        }
        switch use {
        case .read: return try call.presigned(.get, fields: [:], lifetime: seconds)
        case .write(let contentType):
            guard StoreText.isMediaType(contentType) else {
                throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
            }
            return try call.presigned(.put, fields: [.contentType: contentType], lifetime: seconds)
        }
    }
}
