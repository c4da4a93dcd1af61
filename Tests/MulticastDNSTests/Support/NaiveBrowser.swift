import MulticastDNS
import Services
import Transport

/// A browser as one writes it in an afternoon: it asks once, keeps all it hears, and believes everybody.
///
/// Each property of ours must catch it.
final class NaiveBrowser: ServiceBrowser {
    private let network: any DatagramNetwork

    init(on network: any DatagramNetwork) { self.network = network }

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let task = Task {
            try? await browse(type) { reader.yield($0) }
            reader.finish()
        }
        reader.onTermination = { _ in task.cancel() }
        return stream
    }

    func reconfirm(_ service: DiscoveredService) async {}

    private func browse(_ type: ServiceType, _ report: (ServiceListing) -> Void) async throws {
        let names = ServiceNames(type)
        let socket = try await network.bind(
            SocketAddress(host: "0.0.0.0", port: MulticastGroup.port),
            options: .multicastDNS()
        )
        try await socket.join(MulticastGroup.v4)
        var query = DNSMessage(isResponse: false)
        query.questions = [DNSQuestion(RecordKey(names.type, .pointer))]
        try await socket.send(query.encoded, to: MulticastGroup.endpoint(.v4))
        var records: Set<ResourceRecord> = []
        while let datagram = try? await socket.receive() {
            guard let message = DNSMessage(datagram.bytes), message.isResponse else { continue }
            for record in message.statements {
                if record.timeToLive == 0 {
                    records = records.filter { $0.name != record.name || $0.data != record.data }
                } else {
                    records.insert(record)
                }
            }
            report(ServiceListing(services: services(of: type, names, in: records)))
        }
        await socket.close()
    }

    private func services(
        of type: ServiceType,
        _ names: ServiceNames,
        in records: Set<ResourceRecord>
    ) -> [DiscoveredService] {
        let labels = records.compactMap { record -> String? in
            guard record.name == names.type, case .pointer(let instance) = record.data else { return nil }
            return names.label(of: instance)
        }
        return Set(labels).sorted().compactMap { label in
            guard let instance = names.instance(label) else { return nil }
            let ways = records.compactMap { record -> ServiceWay? in
                guard record.name == instance, case .service(_, _, let port, let host) = record.data else {
                    return nil
                }
                let addresses = records.compactMap { record -> String? in
                    if record.name == host, case .address(let address) = record.data {
                        "\(address)"
                    } else {
                        nil
                    }
                }
                return addresses.min().map { ServiceWay(interface: "eth0", address: $0, port: Int(port)) }
            }
            if ways.isEmpty { return nil }
            return DiscoveredService(
                name: label,
                type: type,
                host: "",
                attributes: [:],
                ways: ways,
                expires: .now + .seconds(120)
            )
        }
    }
}
