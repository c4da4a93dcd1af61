public import Services

/// How far the setup of a wireless camera is: all that a screen shows of it, without a secret.
public struct CameraSetupState: Sendable, Hashable, Codable {
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
        /// Instead of all these: a camera of the network is chosen, and its user and password entered.
        case choosing
        /// The credentials are kept, and the camera can be connected.
        case finished
    }

    /// The step.
    public var step: Step = .idle
    /// What the label says, from `labelRead` on.
    public var label: CameraLabel?
    /// The name of the Wi-Fi network that was entered last.
    public var networkName: String?
    /// How many codes are to be shown in turn; none but in `showingCode`.
    public var codes: Int = 0
    /// How long each of them is to be shown, in milliseconds.
    public var codeMilliseconds: Int = 0
    /// Cameras that have answered a search, in the order in which they were found; nothing proves what they say.
    public var found: [DiscoveredCamera] = []
    /// Whether a search goes on.
    public var isSearching: Bool = false
    /// What was wrong last; `nil` once it is mended.
    public var error: CameraSetupError?

    /// The state at first.
    public init() {}
}
