public import Services

/// What reads and makes the codes with which new cameras are set up, and knows what they say.
public struct CameraCodes: Sendable {
    /// Reads the label of a camera.
    public var reader: any BarcodeReader
    /// Makes the codes that a camera is shown.
    public var maker: any BarcodeMaker
    /// Knows what labels and codes say.
    public var pairing: any CameraPairing

    /// Collects the parts.
    public init(reader: any BarcodeReader, maker: any BarcodeMaker, pairing: any CameraPairing) {
        (self.reader, self.maker, self.pairing) = (reader, maker, pairing)
    }
}
