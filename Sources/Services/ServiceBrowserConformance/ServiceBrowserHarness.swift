public import Conformance
public import Services

/// What the suite needs of a browser's author: how to make one, and services that it can find.
///
/// ```swift
/// struct MyBrowserHarness: ServiceBrowserHarness {
///     func makeBrowser() async throws -> MyBrowser { MyBrowser() }
///     func publish(_ offer: ServiceOffer, near browser: MyBrowser) async throws -> Neighbour { … }
///     func withdraw(_ neighbour: Neighbour) async throws { … }
/// }
///
/// @Test(arguments: ServiceBrowserConformance.cases)
/// func conforms(_ test: ServiceBrowserConformance.Case) async throws {
///     try await test.run(with: MyBrowserHarness())
/// }
/// ```
public protocol ServiceBrowserHarness: Harness where Capability == ServiceBrowserCapability {
    associatedtype Browser: ServiceBrowser
    /// A service that the harness has published.
    associatedtype Neighbour: Sendable

    /// A browser on a network where nothing is published that the cases know.
    func makeBrowser() async throws -> Browser

    /// Publishes a service where the browser can find it, and returns when it has its name.
    func publish(_ offer: ServiceOffer, near browser: Browser) async throws -> Neighbour

    /// Takes a service back, and tells the network.
    func withdraw(_ neighbour: Neighbour) async throws

    /// Replaces what a service says of itself; for ``ServiceBrowserCapability/changes``.
    func change(_ neighbour: Neighbour, to attributes: ServiceAttributes) async throws

    /// Takes a service away without a word; for ``ServiceBrowserCapability/crash``.
    func crash(_ neighbour: Neighbour) async throws

    /// Gives a service's host another address, which it tells the network; for ``ServiceBrowserCapability/moves``.
    func move(_ neighbour: Neighbour) async throws

    /// How many messages the browser's host has sent; for ``ServiceBrowserCapability/traffic``.
    func sentCount(of browser: Browser) async throws -> Int

    /// Takes down what was made for a browser.
    func takeDown(_ browser: Browser) async
}

/// What not every harness can make happen, or see.
public enum ServiceBrowserCapability: String, Sendable, Hashable, CaseIterable {
    /// What services say of themselves can be changed.
    case changes
    /// Services can end without a word.
    case crash
    /// Hosts of services can get other addresses.
    case moves
    /// It can be seen whether the browser sends something.
    case traffic
}

extension ServiceBrowserHarness {
    /// None: only what every browser can show.
    public var capabilities: Set<ServiceBrowserCapability> { [] }
    /// Nothing is left to take down.
    public func takeDown(_ browser: Browser) async {}

    /// Fails: a harness that names a capability must have what it needs.
    public func change(_ neighbour: Neighbour, to attributes: ServiceAttributes) async throws {
        throw Self.missing("change")
    }
    /// Fails: a harness that names a capability must have what it needs.
    public func crash(_ neighbour: Neighbour) async throws { throw Self.missing("crash") }
    /// Fails: a harness that names a capability must have what it needs.
    public func move(_ neighbour: Neighbour) async throws { throw Self.missing("move") }
    /// Fails: a harness that names a capability must have what it needs.
    public func sentCount(of browser: Browser) async throws -> Int { throw Self.missing("sentCount") }
}
