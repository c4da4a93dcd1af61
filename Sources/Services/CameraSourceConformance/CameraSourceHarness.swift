public import Conformance
public import Services

/// What the suite needs of a camera's author: how to make one, and what can be made to happen to it.
///
/// Only ``makeCamera(_:)`` is required:
///
/// ```swift
/// struct MyCameraHarness: CameraSourceHarness {
///     func makeCamera(_ device: CameraDevice) async throws -> some CameraSource { MyCamera() }
/// }
///
/// @Test(arguments: CameraSourceConformance.cases)
/// func conforms(_ test: CameraSourceConformance.Case) async throws {
///     try await test.run(with: MyCameraHarness())
/// }
/// ```
public protocol CameraSourceHarness: Harness where Capability == HarnessCapability {
    associatedtype Camera: CameraSource

    /// A camera that was never connected, and shares nothing with earlier ones.
    ///
    /// - Parameter device: What it finds; other than ``CameraDevice/ready`` only for the capability of that name.
    func makeCamera(_ device: CameraDevice) async throws -> Camera

    /// Takes the device away from a connected camera, as who pulls its cable; for ``HarnessCapability/loss``.
    func lose(_ camera: Camera) async throws

    /// Ends what ``lose(_:)`` began; for ``HarnessCapability/loss``.
    func giveBack(_ camera: Camera) async throws

    /// How much the device enlarges now; for ``HarnessCapability/zoom``.
    func zoom(of camera: Camera) async throws -> Double

    /// What is open now: descriptors, mappings, sessions at the device; for ``HarnessCapability/openCount``.
    func openCount(of camera: Camera) async throws -> Int

    /// Takes down what was made for a camera, which is disconnected.
    func takeDown(_ camera: Camera) async

    /// Whether an error is the one for what ails the device; without it, whether it is `deviceNotFound` for
    /// ``CameraTrouble/absent`` and ``CameraTrouble/loss``, and `permissionDenied` for ``CameraTrouble/denied``.
    func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool

    /// The longest time for what must never wait for the device: disconnecting, and the end of an attempt that is given up.
    var promptness: Duration { get }
}

/// What a camera finds when it connects.
public enum CameraDevice: String, Sendable, Hashable, CaseIterable {
    /// A device that works, and delivers at least one frame a second.
    case ready
    /// No device.
    case absent
    /// One that may not be used: by its permissions, or for a wrong password.
    case denied
    /// One that answers late: connecting takes at least a second, and may take forever.
    case hanging
}

/// What is wrong with a device.
public enum CameraTrouble: String, Sendable, Hashable, CaseIterable {
    /// It is not there.
    case absent
    /// It may not be used.
    case denied
    /// It has gone while it was connected.
    case loss
}

/// What not every harness can make happen, or see.
public enum HarnessCapability: String, Sendable, Hashable, CaseIterable {
    /// There is a camera that finds no device.
    case absent
    /// There is a camera whose device may not be used.
    case denied
    /// There is a camera whose device answers late.
    case hanging
    /// A device can be taken from its camera, and given back.
    case loss
    /// The camera looks for a lost device by itself; needs ``loss`` as well.
    case recovery
    /// It can be seen how much the device enlarges.
    case zoom
    /// What is open can be counted.
    case openCount
}

extension CameraSourceHarness {
    /// None: only what can be seen of a camera that works.
    public var capabilities: Set<HarnessCapability> { [] }
    /// Nothing is left to take down.
    public func takeDown(_ camera: Camera) async {}
    /// Five seconds.
    public var promptness: Duration { .seconds(5) }

    /// Fails: a harness that names a capability must have what it needs.
    public func lose(_ camera: Camera) async throws { throw Self.missing("lose") }
    /// Fails: a harness that names a capability must have what it needs.
    public func giveBack(_ camera: Camera) async throws { throw Self.missing("giveBack") }
    /// Fails: a harness that names a capability must have what it needs.
    public func zoom(of camera: Camera) async throws -> Double { throw Self.missing("zoom") }
    /// Fails: a harness that names a capability must have what it needs.
    public func openCount(of camera: Camera) async throws -> Int { throw Self.missing("openCount") }

    /// The usual cases of `CameraError`.
    public func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool {
        switch trouble {
        case .absent, .loss: error == .deviceNotFound
        case .denied: error == .permissionDenied
        }
    }
}
