import HTTPTypes
import PeerKit
import PlainXML

extension S3Server {
    /// Fewer than an account has at the real service.
    private static let bucketCountMaximum = 1000

    /// The owner of everything.
    static let owner = PlainElement(
        "Owner",
        [
            PlainElement("ID", "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"),
            PlainElement("DisplayName", "simulated"),
        ]
    )

    func listBuckets() -> PeerAnswer {
        let buckets = allBuckets.map { name, created in
            PlainElement(
                "Bucket",
                [PlainElement("Name", name), PlainElement("CreationDate", created.listed)]
            )
        }
        return .document(
            PlainElement("ListAllMyBucketsResult", [Self.owner, PlainElement("Buckets", buckets)])
        )
    }

    func createBucket(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        guard BucketNames.isName(call.bucket) else { throw .bucketName(call.bucket) }
        let body = try await call.document(upTo: 65_536, access)
        if !body.isEmpty {
            guard let element = try? PlainElement(reading: body), element.name == "CreateBucketConfiguration"
            else {
                throw .malformedXML
            }
            if let region = element["LocationConstraint"], region != account.region {
                throw S3Failure(
                    400,
                    "IllegalLocationConstraintException",
                    "The \(region) location constraint is incompatible for the region specific endpoint this request was sent to."
                )
            }
        }
        let now = now
        try change { state throws(S3Failure) in
            guard state.buckets[call.bucket] == nil else { throw .bucketOwned(call.bucket) }
            guard state.buckets.count < Self.bucketCountMaximum else {
                throw S3Failure(
                    400,
                    "TooManyBuckets",
                    "You have attempted to create more buckets than allowed"
                )
            }
            let bucket = StoredBucket(created: now)
            try durably { try $0.write(bucket, named: call.bucket) }
            state.buckets[call.bucket] = bucket
        }
        var answer = PeerAnswer.empty()
        answer.headers[.location] = "/\(call.bucket)"
        return answer
    }

    func deleteBucket(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try change { state throws(S3Failure) in
            guard let bucket = state.buckets[call.bucket] else { throw .noSuchBucket(call.bucket) }
            guard bucket.objects.isEmpty, bucket.uploads.isEmpty else { throw .bucketNotEmpty(call.bucket) }
            try durably { try $0.removeBucket(call.bucket) }
            state.buckets[call.bucket] = nil
        }
        return .empty(status: 204)
    }

    func headBucket(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        var answer = PeerAnswer.empty()
        answer.headers.set("x-amz-bucket-region", account.region)
        return answer
    }

    /// The first region has no name here.
    func location(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        return .document(
            PlainElement("LocationConstraint", account.region == "us-east-1" ? "" : account.region)
        )
    }

    func versioning(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        try read(call.bucket) { _ in }
        return .document(PlainElement("VersioningConfiguration", []))
    }
}
