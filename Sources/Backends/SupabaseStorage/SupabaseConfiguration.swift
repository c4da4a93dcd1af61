internal import ObjectTransfer
public import Services

/// Where a project's storage is, and how to speak to it.
public struct SupabaseConfiguration: Sendable, Hashable {
    /// What the project's address is called in a secret store.
    public static let projectURLName: String = "supabase.url"

    /// What the project's key is called in a secret store.
    public static let keyName: String = "supabase.key"

    /// The project's address, such as `https://abcd.supabase.co`; `nil` or empty when not configured.
    public var projectURL: String?
    /// The bucket that all objects of this store live in.
    public var bucket: String
    /// The anonymous key or a user's access token; `nil` or empty when not configured.
    public var key: Secret?
    /// The longest time in which a request makes no progress, and the longest for all of an answer that carries no
    /// object.
    ///
    /// An upload takes as long as it moves.
    public var timeout: Duration
    /// The longest time in which an object must have been read to its end.
    public var downloadTimeout: Duration
    /// How caches may keep uploaded objects, as a `Cache-Control` value.
    public var cacheControl: String
    /// How large objects are uploaded in parts.
    public var parts: UploadParts

    /// Makes a configuration; it is checked when it is used.
    public init(
        projectURL: String?,
        bucket: String,
        key: Secret?,
        timeout: Duration = .seconds(30),
        downloadTimeout: Duration = .seconds(600),
        cacheControl: String = "max-age=3600",
        parts: UploadParts = UploadParts()
    ) {
        self.projectURL = projectURL
        self.bucket = bucket
        self.key = key
        self.timeout = timeout
        self.downloadTimeout = downloadTimeout
        self.cacheControl = cacheControl
        self.parts = parts
    }

    /// Which store this is: the same however the address is written and whichever key opens it, and of no other store.
    ///
    /// For a program that remembers what it has brought where.
    public var identity: String { StoreText.identity(projectURL, bucket) }

    /// Reads address and key from a secret store, under ``projectURLName`` and ``keyName``.
    ///
    /// A secret that is absent leaves the store unconfigured; that is not an error here.
    public static func read(
        from secrets: any SecretStore,
        bucket: String
    ) throws(SecretStoreError) -> SupabaseConfiguration {
        let address = try secrets.secret(named: projectURLName)
        return SupabaseConfiguration(
            projectURL: address?.reveal(),
            bucket: bucket,
            key: try secrets.secret(named: keyName)
        )
    }
}
