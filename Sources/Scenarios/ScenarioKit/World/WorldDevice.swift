public import Files
public import Services
public import Transport

/// What an app finds on its device, whether that is simulated or this machine.
public struct WorldDevice: Sendable {
    /// Reaches the services.
    public let transport: any Transport
    /// Knows whether there is a network.
    public let network: any NetworkMonitor
    /// The file system.
    public let files: any FileSystem
    /// The folder of the app's files.
    public let folder: String

    private let database: @Sendable (String) -> String
    private let peer: @Sendable (String) -> String

    init(
        transport: any Transport,
        network: any NetworkMonitor,
        files: any FileSystem,
        folder: String,
        databasePath: @escaping @Sendable (String) -> String,
        authority: @escaping @Sendable (String) -> String
    ) {
        self.transport = transport
        self.network = network
        self.files = files
        self.folder = folder
        database = databasePath
        peer = authority
    }

    /// The path that SQLite opens for a database of that name, such as `notes.sqlite`.
    public func databasePath(_ name: String) -> String { database(name) }

    /// Where a service is, as a URL without a path.
    public func address(of name: String) -> String { "http://\(authority(of: name))" }

    /// The host and the port of a service, such as `notes:80`.
    public func authority(of name: String) -> String { peer(name) }
}
