public import Services

/// A device whose model and public address are what a test says.
///
/// - Models: a provider of the address that fails, is slow, or does not end when it is cancelled.
/// - Does not model: addresses that change; those of the simulated network, which nothing compares with it.
/// - Faults: by its parameters.
/// - Compared with: `LinuxDeviceInformation`, whose machine a test makes.
public struct SimulatedDeviceInformation: DeviceInformation {
    private let model: String
    private let address: String?
    private let delay: Duration
    private let obeysCancellation: Bool

    /// - Parameters:
    ///   - model: The name of the model.
    ///   - address: The public address; `nil` as of a provider that fails.
    ///   - delay: How long the provider takes.
    ///   - obeysCancellation: Whether a cancelled provider ends at once, without an address; many do not.
    public init(
        model: String = "Simulated Phone",
        address: String? = "203.0.113.7",
        after delay: Duration = .zero,
        obeysCancellation: Bool = false
    ) {
        self.model = model
        self.address = address
        self.delay = delay
        self.obeysCancellation = obeysCancellation
    }

    /// The name that it was made with.
    public func modelName() -> String { model }

    /// The address that it was made with, after its delay.
    public func publicAddress() async -> String? {
        guard delay > .zero else { return address }
        guard !obeysCancellation else {
            do { try await Task.sleep(for: delay) } catch { return nil }
            return address
        }
        let delay = delay
        await Task { try? await Task.sleep(for: delay) }.value
        return address
    }
}
