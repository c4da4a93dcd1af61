/// What the user can know of the program: its version, the libraries in it, and whether what it keeps leaves the device.
public struct AboutLens: Sendable, Hashable, Codable {
    /// Where a service runs.
    public enum Place: String, Sendable, Hashable, Codable, CaseIterable {
        /// In the program itself: what is sent to it stays on the device.
        case device
        /// Elsewhere, at an address.
        case network
    }

    /// A library that is part of the program.
    public struct Library: Sendable, Hashable, Codable {
        /// The name of its package.
        public var name: String
        /// Its licence, by its SPDX identifier.
        public var licence: String

        /// Names a library and its licence.
        public init(_ name: String, _ licence: String) { (self.name, self.licence) = (name, licence) }
    }

    /// The program's name.
    public var name: String = "Lens"
    /// The program's version, as `--version` prints it.
    public var version: String
    /// Where the assistant is, which gets what is said and seen.
    public var assistant: Place
    /// Where the storage is, which gets what is uploaded.
    public var storage: Place
    /// What is to be known of the cameras, in words for people, such as that they are simulated; `nil` for nothing.
    public var cameraNote: String?
    /// The libraries in it.
    public var libraries: [Library] = Self.libraries

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - version: As `--version` prints it.
    ///   - assistant: Where the assistant is.
    ///   - storage: Where the storage is.
    ///   - cameraNote: What is to be known of the cameras.
    public init(
        version: String = "",
        assistant: Place = .network,
        storage: Place = .network,
        cameraNote: String? = nil
    ) {
        self.cameraNote = cameraNote
        self.version = version
        self.assistant = assistant
        self.storage = storage
    }
}
