public import Services

/// Where a folder of a WebDAV server is, and who may use it.
public struct WebDAVConfiguration: Sendable, Hashable {
    /// The folder of the store, such as `https://cloud.example.com/dav/photos`; it must be there.
    public var address: String
    /// User and password, separated by a colon; `nil` for a server that asks for none.
    public var login: Secret?
    /// Where anybody reads the objects, such as the same folder without a login; `nil` for `address`.
    public var publicAddress: String?
    /// Whether the server compares entity tags before it stores, and has another one for other bytes at any time; false for one that has the
    /// same for all of a second.
    public var comparesTags: Bool
    /// The longest time in which a request makes no progress, and the longest for all of a list.
    ///
    /// An upload takes as long as it moves.
    public var timeout: Duration
    /// The longest time in which an object must have been read to its end.
    public var downloadTimeout: Duration

    /// Makes a configuration; it is checked when it is used.
    public init(
        address: String,
        login: Secret? = nil,
        publicAddress: String? = nil,
        comparesTags: Bool = true,
        timeout: Duration = .seconds(30),
        downloadTimeout: Duration = .seconds(600)
    ) {
        self.address = address
        self.login = login
        self.publicAddress = publicAddress
        self.comparesTags = comparesTags
        self.timeout = timeout
        self.downloadTimeout = downloadTimeout
    }
}
