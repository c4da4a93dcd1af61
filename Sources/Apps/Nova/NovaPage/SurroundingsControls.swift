public import Concurrency

/// The simulated world around the app, as a person changes it.
@MainActor
public protocol SurroundingsControls: AnyObject, Sendable {
    /// The present state and all later ones.
    nonisolated var states: Published<SurroundingsState> { get }

    /// Cuts the device off from Nova and its storage, or connects it again.
    func setAeroplaneMode(_ isOn: Bool) async
    /// Somebody else likes the newest post of the person, or says something about it.
    func act() async
    /// A photo of the simulated library; `nil` where there is none with that number.
    nonisolated func photo(_ number: Int) -> [UInt8]?
}

/// What the simulated world shows.
public struct SurroundingsState: Codable, Hashable, Sendable {
    /// The e-mail address with which one can sign in.
    public var email: String
    /// Its password, which opens nothing but this world.
    public var password: String
    /// Whether the device reaches nothing.
    public var isAeroplaneModeOn: Bool
    /// How many photos the simulated library has.
    public var photos: Int

    /// Makes a value of its parts.
    public init(email: String, password: String, isAeroplaneModeOn: Bool = false, photos: Int) {
        self.email = email
        self.password = password
        self.isAeroplaneModeOn = isAeroplaneModeOn
        self.photos = photos
    }
}
