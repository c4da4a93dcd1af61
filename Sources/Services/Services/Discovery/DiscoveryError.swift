/// Why services cannot be found or advertised.
public enum DiscoveryError: Error, Hashable, CustomStringConvertible {
    /// No interface is there on which to look: the device is offline.
    case noInterface
    /// The port of discovery cannot be used on any interface, as where another program keeps it for itself.
    case portUnavailable(port: Int, detail: String)
    /// What is asked for services, such as a registry, gives no answer.
    case unavailable(detail: String)
    /// An offer that cannot be advertised.
    case invalid(detail: String)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .noInterface: "services of the local network cannot be found: no network interface is up"
        case .portUnavailable(let port, let detail):
            "services of the local network cannot be found: UDP port \(port) cannot be used (\(detail)). "
                + "Let the program that keeps it share it, or end that program."
        case .unavailable(let detail): "services cannot be found for now: \(detail)"
        case .invalid(let detail): "the service cannot be advertised: \(detail)"
        }
    }
}
