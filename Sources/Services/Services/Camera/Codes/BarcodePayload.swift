/// What a two-dimensional code says.
///
/// Nothing of it is in descriptions: codes that configure a Wi-Fi network have its password.
public struct BarcodePayload: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The bytes as they stand in the code.
    public let bytes: [UInt8]

    /// Makes a value of its bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes as text; `nil` when they are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// How long it is.
    public var description: String { "<\(bytes.count) bytes of a code>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
