public import Services

extension DeviceCall where Request == DeviceInformationRequest, Reply == DeviceInformationReply {
    /// Questions about the device.
    public static var deviceInformation: Self { Self("device", title: "the device's information") }
}

/// What an app asks about its device.
public enum DeviceInformationRequest: Codable, Hashable, Sendable, CustomStringConvertible {
    case modelName
    case publicAddress

    /// What is asked.
    public var description: String {
        switch self {
        case .modelName: "modelName"
        case .publicAddress: "publicAddress"
        }
    }
}

/// What is known of it.
public struct DeviceInformationReply: Codable, Sendable {
    /// `nil` where it is not known.
    var value: String?
}

/// What is known of the device outside the simulation, or was when a session was recorded.
public struct RecordedDeviceInformation: DeviceInformation {
    private let calls: any DeviceCalls<DeviceInformationRequest, DeviceInformationReply>
    private let device: (any DeviceInformation)?

    /// Records what a device says.
    public init(
        _ calls: DeviceCallRecorder<DeviceInformationRequest, DeviceInformationReply>,
        device: any DeviceInformation
    ) {
        (self.calls, self.device) = (calls, device)
    }

    /// Says what the device of a recording said.
    public init(_ calls: any DeviceCalls<DeviceInformationRequest, DeviceInformationReply>) {
        self.calls = calls
        device = nil
    }

    /// The name of its model.
    public func modelName() -> String {
        calls.ask(.modelName) { DeviceInformationReply(value: device?.modelName()) }?.value ?? ""
    }

    /// The address under which others on the internet see it; `nil` where it is not known.
    public func publicAddress() async -> String? {
        await calls.call(.publicAddress) { [device] in
            DeviceInformationReply(value: await device?.publicAddress())
        }?.value
    }
}
