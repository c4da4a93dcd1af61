import Foundation
import Transport

/// What a host said of its interfaces and of addresses, as it stands in a recording.
enum RecordedHost {
    private struct Interface: Codable {
        struct Address: Codable {
            var address: String
            var subnet: String
        }

        var name: String
        var index: Int
        var addresses: [Address]
    }

    static func bytes(of interfaces: [NetworkInterface]) -> [UInt8] {
        let stored = interfaces.map { interface in
            Interface(
                name: interface.name,
                index: interface.index,
                addresses: interface.addresses.map { .init(address: "\($0.address)", subnet: "\($0.subnet)") }
            )
        }
        // Texts and numbers always encode.
        return (try? JSONEncoder().encode(stored)).map { Array($0) } ?? []
    }

    /// Reads what `bytes(of:)` has written; `nil` for anything else.
    static func interfaces(_ bytes: [UInt8]) -> [NetworkInterface]? {
        guard let stored = try? JSONDecoder().decode([Interface].self, from: Data(bytes)) else { return nil }
        var interfaces: [NetworkInterface] = []
        for interface in stored {
            var addresses: [NetworkInterface.Address] = []
            for stored in interface.addresses {
                guard let address = IPAddress(stored.address), let subnet = IPSubnet(stored.subnet) else {
                    return nil
                }
                addresses.append(.init(address, in: subnet))
            }
            interfaces.append(.init(name: interface.name, index: interface.index, addresses: addresses))
        }
        return interfaces
    }

    static func bytes(of endpoints: [Endpoint]) -> [UInt8] {
        Array(endpoints.map(\.description).joined(separator: "\n").utf8)
    }

    /// Reads what was written of endpoints; `nil` for anything else.
    static func endpoints(_ bytes: [UInt8]) -> [Endpoint]? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let endpoints = lines.compactMap { Endpoint(String($0)) }
        return endpoints.count == lines.count && !endpoints.isEmpty ? endpoints : nil
    }
}
