public import Foundation
public import Services

/// How far the setup of a wireless camera is, without a secret.
public struct CameraSetupState: Sendable, Hashable {
    /// The steps, in the order in which they follow each other.
    public enum Step: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nobody sets up a camera.
        case idle
        /// The local camera looks for the code on the camera's label.
        case scanning
        /// The label was read; the Wi-Fi network has to be entered.
        case labelRead
        /// The codes for the Wi-Fi network are shown, and the camera is waited for.
        case showingCode
        /// The camera has appeared on the network.
        case joined
        /// The credentials are kept, and the camera is being connected with them.
        case connecting
        /// The credentials are kept, and the camera is connected, or another one was chosen meanwhile.
        case finished
    }

    /// The step.
    public var step: Step = .idle
    /// Who has started the setup.
    public var owner: UUID?
    /// What the label says, from `labelRead` on, and after a camera could not be connected.
    public var label: CameraLabel?
    /// The name of the Wi-Fi network that was entered last.
    public var networkName: String?
    /// How many codes are to be shown in turn; none but in `showingCode`.
    public var codes: Int = 0
    /// How long each of them is to be shown, in milliseconds.
    public var codeMilliseconds: Int = 0
    /// Which codes they are: another number for each network that is entered.
    public var codesNumber: Int = 0
    /// Other cameras that have answered the search, in the order in which they were found; nothing proves what they say.
    public var others: [DiscoveredCamera] = []
    /// What was wrong last; `nil` once it is mended.
    public var error: CameraSetupError?

    /// The state at first.
    public init() {}
}
