import Foundation
public import Services
public import Transport

/// The machine that a program runs on.
public struct LinuxDeviceInformation: DeviceInformation {
    private let network: any DatagramNetwork
    private let productFile: String

    /// - Parameters:
    ///   - network: Names the interfaces of the machine.
    ///   - productFile: Where the kernel says what the machine's maker calls it: `product_name` of DMI
    ///     (Documentation/ABI/testing/sysfs-firmware-dmi of Linux), which boards without DMI lack.
    public init(network: any DatagramNetwork, productFile: String = "/sys/class/dmi/id/product_name") {
        self.network = network
        self.productFile = productFile
    }

    /// What the maker calls the machine, else the host's name.
    public func modelName() -> String {
        let product = (try? String(contentsOfFile: productFile, encoding: .utf8)) ?? ""
        let name = product.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? ProcessInfo.processInfo.hostName : name
    }

    /// The lowest public address of an interface; `nil` where all of them are of private networks, as behind a router with NAT.
    ///
    /// Asks no service on the internet.
    public func publicAddress() async -> String? {
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
