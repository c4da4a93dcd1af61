/// The device that the app runs on.
public protocol FlowDevice: Sendable {
    /// The name of its model: that of the board, or the host's where there is none.
    func modelName() -> String

    /// Its public address, as others see it.
    ///
    /// - Returns: `nil` where it cannot be found out.
    func publicAddress() async -> String?
}
