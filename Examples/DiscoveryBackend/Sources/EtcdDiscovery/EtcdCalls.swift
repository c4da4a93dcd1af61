import Concurrency
import Foundation
import ServiceClient
import Services
import Synchronization
import Transport

/// The calls of the registry, and their documents.
struct EtcdCalls: Sendable {
    /// The most services of one type; those behind them, in the order of their names, are not listed.
    private static let mostEntries = 1_000
    /// Called again by its browse, not by itself; entries together have at most 4 MiB.
    private static let policy = CallPolicy(
        retries: RetryPolicy(retries: 0, first: .zero, longest: .zero),
        deadline: .seconds(10)
    )

    private let client: ServiceClient
    private let prefix: String

    init(_ http: any HTTPClient, at address: ServiceAddress, prefix: String) {
        client = ServiceClient(http, policy: Self.policy) { address }
        self.prefix = prefix
    }

    /// All keys that begin with this one: its last byte, a slash, is the end of the range one higher.
    private struct Keys: Encodable {
        let key: Data
        let range_end: Data
        var limit: Int?
        var start_revision: String?

        init(_ prefix: String, _ type: ServiceType) {
            key = Data("\(prefix)/\(type)/".utf8)
            range_end = Data("\(prefix)/\(type)0".utf8)
        }
    }

    private struct Watch: Encodable {
        let create_request: Keys
    }

    /// What is written now.
    func entries(of type: ServiceType) async throws(ServiceFailure) -> EtcdEntries {
        var keys = Keys(prefix, type)
        keys.limit = Self.mostEntries
        return try await client.send(.post("/v3/kv/range", keys))
    }

    /// Waits until an entry of a type has changed after a revision, or the time has passed.
    ///
    /// - Returns: Whether the registry has said so; it has not where it ends the watch before.
    func waitForChange(
        of type: ServiceType,
        since revision: Int,
        atMost limit: Duration
    ) async throws(ServiceFailure) -> Bool {
        var keys = Keys(prefix, type)
        keys.start_revision = "\(revision + 1)"
        let call = try Call.post("/v3/watch", Watch(create_request: keys))
        let end = await withDeadline(limit) { () -> Result<Bool, ServiceFailure> in
            do throws(ServiceFailure) { return .success(try await hasSecondLine(call)) } catch {
                return .failure(error)
            }
        }
        return try end?.get() ?? true
    }

    /// Opens a watch, and returns when it has a second line.
    ///
    /// The first says that there is a watch, and any other is a reason to read again: also the one that ends the watch, as after a compaction. So
    /// lines are counted, and not read.
    private func hasSecondLine(_ call: Call) async throws(ServiceFailure) -> Bool {
        let next = try await client.open(call).chunks()
        var isBehindFirst = false
        while let chunk = try await next() {
            if isBehindFirst { return true }
            guard let end = chunk.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            guard end == chunk.count - 1 else { return true }
            isBehindFirst = true
        }
        return false
    }
}

/// An answer of `/v3/kv/range`, in which numbers are texts, and what is empty is absent.
struct EtcdEntries: Decodable {
    private struct Header: Decodable { let revision: String }
    private struct Pair: Decodable {
        let key: Data
        let value: Data?
    }

    private let header: Header
    private let kvs: [Pair]?

    /// The revision of the registry that they are of.
    var revision: Int { Int(header.revision) ?? 0 }

    /// The services that they are, ordered by name; what is none is left out.
    func services(of type: ServiceType, until end: ContinuousClock.Instant) -> [DiscoveredService] {
        (kvs ?? [])
            .compactMap { pair in
                let path = String(decoding: pair.key, as: UTF8.self)
                guard let start = path.range(of: "/\(type)/")?.upperBound,
                    let entry = try? JSONDecoder().decode(EtcdEntry.self, from: pair.value ?? Data())
                else { return nil }
                return entry.service(String(path[start...]), type, until: end)
            }
            .sorted { $0.name < $1.name }
    }
}
