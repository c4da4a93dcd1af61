/// A piece of a camera's sound, as the camera sends it: IMA ADPCM of 8 kHz in most families, not decoded here.
public struct VeepaSound: Sendable, Hashable {
    /// The camera's own number of it.
    public var number: UInt32?
    /// What it sent.
    public var bytes: [UInt8]
}
