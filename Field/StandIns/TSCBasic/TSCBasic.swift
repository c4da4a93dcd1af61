// Stands in for the parts of swift-tools-support-core that two files import, for functions that no workload calls.

public func tsc_await() {}

public typealias ProcessEnvironmentBlock = [ProcessEnvironmentKey: String]

public struct ProcessEnvironmentKey: Hashable, Sendable {
    public let value: String

    public init(_ value: String) { self.value = value }
}
