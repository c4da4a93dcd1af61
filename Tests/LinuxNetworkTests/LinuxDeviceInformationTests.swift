import Foundation
import LinuxNetwork
import SimulatedTransport
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("What Linux says of the machine", .simulated(seeds: 1...1))
struct LinuxDeviceInformationTests {
    private func host(_ prefixes: [String]) async throws -> SimulatedHost {
        let network = SimulatedNetwork()
        let host = network.host("machine")
        for (number, text) in prefixes.enumerated() {
            host.attach("eth\(number + 1)", to: network.subnet(text, try #require(IPSubnet(text))))
        }
        return host
    }

    @Test func `the name is that of the product, without the line's end`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("ThinkPad X1 \n".utf8), to: "product_name")
        let device = LinuxDeviceInformation(
            network: try await host([]),
            productFile: folder.file("product_name")
        )
        #expect(device.modelName() == "ThinkPad X1")
    }

    @Test(arguments: [nil, "", "\n"])
    func `a board without a product's name has that of the host`(_ content: String?) async throws {
        let folder = try TemporaryFolder()
        if let content { try folder.write(Array(content.utf8), to: "product_name") }
        let device = LinuxDeviceInformation(
            network: try await host([]),
            productFile: folder.file("product_name")
        )
        #expect(device.modelName() == ProcessInfo.processInfo.hostName)
    }

    @Test(arguments: [
        (["192.168.7.0/24", "100.64.0.0/24", "169.254.0.0/16"], nil),
        (["192.168.7.0/24", "203.0.113.0/24"], "203.0.113.1"),
        (["198.51.100.0/24", "203.0.113.0/24", "172.16.0.0/24"], "198.51.100.1"),
        (["fe80::/64", "2001:db8:7::/64"], "2001:db8:7::1"),
    ])
    func `the public address is the lowest that others can reach, and none behind a router`(
        _ prefixes: [String],
        _ address: String?
    ) async throws {
        #expect(await LinuxDeviceInformation(network: try await host(prefixes)).publicAddress() == address)
    }
}
