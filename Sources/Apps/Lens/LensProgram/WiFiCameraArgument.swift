import ArgumentParser
import Transport
import VeepaCamera

/// What `--wifi-camera` takes.
enum WiFiCameraArgument: ExpressibleByArgument, CustomStringConvertible {
    /// One that is simulated on this machine.
    case simulated
    /// Whatever answers in the networks of this machine.
    case network
    /// The camera at an address.
    case place(Endpoint)
    case none

    init?(argument: String) {
        switch argument {
        case "simulated": self = .simulated
        case "network": self = .network
        case "none": self = .none
        default:
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            guard let address = IPAddress(String(parts[0])), address.version == .v4, parts.count <= 2,
                let port = parts.count == 2 ? Int(parts[1]) : VeepaOptions.searchPort,
                (1...65_535).contains(port)
            else { return nil }
            self = .place(Endpoint(address, port: port))
        }
    }

    var defaultValueDescription: String { description }

    /// Without the place in the network.
    var description: String {
        switch self {
        case .simulated: "simulated"
        case .network: "network"
        case .place: "address"
        case .none: "none"
        }
    }
}
