import ServiceClient
import Services

/// A configuration that has been checked: every value in it can be sent as it stands.
struct StorageEndpoint: Sendable {
    /// The project's address, before `/storage/v1`.
    let project: ServiceAddress
    let bucket: String
    let key: Secret

    /// What is wrong with a configuration.
    ///
    /// Never quotes it: an address may hold a password.
    struct Unusable: Error, Hashable {
        let detail: String
    }

    init(_ configuration: SupabaseConfiguration) throws(Unusable) {
        let address = Self.trimmed(configuration.projectURL ?? "")
        if address.isEmpty { throw Unusable(detail: "no project address is configured") }
        let key = Secret(Self.trimmed(configuration.key?.reveal() ?? ""))
        if key.reveal().isEmpty { throw Unusable(detail: "no key is configured") }
        guard key.isHeaderValue else { throw Unusable(detail: "the key holds characters that no key has") }
        guard ObjectNaming.isBucket(configuration.bucket) else {
            throw Unusable(detail: "“\(configuration.bucket)” is not a bucket name")
        }
        guard let project = ServiceAddress(address) else {
            throw Unusable(
                detail: "the project address is not http:// or https://, host and optional port and path"
            )
        }
        (self.project, self.key, bucket) = (project, key, configuration.bucket)
    }

    /// The path of a storage call for an object, below the project's address.
    func path(_ call: String, _ key: ObjectKey) -> String {
        "/storage/v1/\(call)/\(ObjectNaming.encoded(bucket))/\(ObjectNaming.encoded(key.path))"
    }

    /// The path of a storage call for the bucket, below the project's address.
    func bucketPath(_ call: String) -> String { "/storage/v1/\(call)/\(ObjectNaming.encoded(bucket))" }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
