import Flow
import Foundation
import Transport

/// The machine that the program runs on.
struct LinuxDevice: FlowDevice {
    /// Names the interfaces of the machine.
    let network: any DatagramNetwork
    /// Where the kernel says what the machine's maker calls it.
    var productFile = "/sys/class/dmi/id/product_name"

    /// What the maker calls the machine, else the host's name.
    func modelName() -> String {
        let product = (try? String(contentsOfFile: productFile, encoding: .utf8)) ?? ""
        let name = product.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? ProcessInfo.processInfo.hostName : name
    }

    /// The first address of an interface that others can reach; `nil` where all of them are of private networks.
    func publicAddress() async -> String? {
        let interfaces = (try? await network.interfaces()) ?? []
        let addresses = interfaces.flatMap(\.addresses).map(\.address).filter(\.isPublic)
        return addresses.min().map { "\($0)" }
    }
}

extension IPAddress {
    /// Whether it can be reached from elsewhere: none of this host, of one link, of a private network or of a provider's own (RFC 6598).
    fileprivate var isPublic: Bool {
        let shared = IPSubnet(IPAddress(100, 64, 0, 0), prefixLength: 10)
        return !isLoopback && !isLinkLocal && !isPrivate && !isMulticast && !isUnspecified
            && shared?.contains(self) != true
    }
}
