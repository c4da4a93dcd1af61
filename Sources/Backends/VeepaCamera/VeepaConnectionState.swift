/// How far a Wi-Fi camera is connected.
public enum VeepaConnectionState: Sendable, Hashable {
    /// It is not, and nobody tries; with the reason, unless that was asked for.
    case disconnected(VeepaConnectionError?)
    /// It is looked for.
    case searching
    /// It has answered, and both sides open a way for each other's datagrams.
    case handshaking
    /// User and password are being checked.
    case loggingIn
    /// Frames come.
    case connected
    /// The connection was lost; another attempt follows after a while, counted from 1.
    case reconnecting(after: VeepaConnectionError, attempt: Int)
}

/// What was dropped and counted since a camera was connected.
public struct VeepaStatistics: Sendable, Hashable {
    /// Whole pictures that came.
    public var frames: Int = 0
    /// Pictures that were truncated, too large or no pictures, and were dropped.
    public var badFrames: Int = 0
    /// Frames of H.264, which are not decoded.
    public var undecodedFrames: Int = 0
    /// Pieces of sound.
    public var audioFrames: Int = 0
    /// Packets that had come before.
    public var duplicates: Int = 0
    /// Packets that came before one that belongs before them, and were put in order.
    public var disordered: Int = 0
    /// Datagrams from other addresses than the camera's, and answers with another ID.
    public var foreign: Int = 0
    /// Datagrams, commands and pieces of frames that made no sense.
    public var malformed: Int = 0

    /// Nothing was counted yet.
    public init() {}
}
