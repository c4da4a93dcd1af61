public import ServiceClient
public import Services
public import Transport

/// What Nova needs of the world.
public struct NovaEnvironment: Sendable {
    /// Makes requests.
    public var http: any HTTPClient
    /// Where Nova is; asked before each request.
    public var address: @Sendable () -> ServiceAddress?
    /// Keeps the session and the name of this device.
    public var secrets: any SecretStore
    /// The file of the database, in which waits what Nova does not have yet; created where it is not there.
    public var databasePath: String
    /// Knows whether there is a network.
    public var network: any NetworkMonitor
    /// Asks for identity tokens.
    public var identities: any IdentityTokenProvider
    /// Where pictures come from.
    public var photos: any PhotoSource
    /// The version of the app, as events say it.
    public var appVersion: String = "1.0"
    /// The system that the app runs on, as events say it.
    public var platform: String = "linux"

    /// An environment of its parts.
    public init(
        http: any HTTPClient,
        secrets: any SecretStore,
        databasePath: String,
        network: any NetworkMonitor = UnwatchedNetwork(),
        identities: any IdentityTokenProvider = NoIdentityTokens(),
        photos: any PhotoSource,
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        (self.http, self.address, self.secrets, self.databasePath) = (http, address, secrets, databasePath)
        (self.network, self.identities, self.photos) = (network, identities, photos)
    }
}

/// Lets the person pick a picture.
public protocol PhotoSource: Sendable {
    /// Asks the person, who may take as long as they like.
    ///
    /// - Returns: The picture's file, in whatever form; `nil` where the person has cancelled.
    /// - Throws: ``NovaError/noPicture`` where it cannot be read.
    func pick() async throws(NovaError) -> [UInt8]?
}
