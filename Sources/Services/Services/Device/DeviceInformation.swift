/// Says which device an app runs on, for services that want to know.
public protocol DeviceInformation: Sendable {
    /// The name of its model, such as “ThinkPad X1”; never empty.
    func modelName() -> String

    /// The address under which others on the internet see the device, such as “203.0.113.7”.
    ///
    /// May take as long as a network does, and need not end early when it is cancelled.
    ///
    /// - Returns: `nil` where it cannot be found out.
    func publicAddress() async -> String?
}
