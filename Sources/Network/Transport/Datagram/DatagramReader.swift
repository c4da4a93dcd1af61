/// Knows what the datagrams of a protocol carry, so that a recording of them can leave secrets out.
///
/// Values of secrets can be looked for only in bytes that show them. A protocol that obfuscates its datagrams, compresses them, or cuts
/// a stream into them, hides a password from such a search; its reader takes the datagrams apart for the recorder. See ``PlainDatagrams`` for
/// protocols that hide nothing.
public protocol DatagramReader: Sendable {
    /// What a datagram that is sent says, without secrets that are known by their place in it.
    ///
    /// It is recorded in the place of the datagram, and a replay compares it, so that the same program gives the same bytes whatever its
    /// secrets are. What cannot be read has to be left out. Known values are removed afterwards.
    func statement(of datagram: [UInt8]) -> [UInt8]

    /// A datagram that was received, in the clear; `nil` for one that this reader cannot read, whose bytes are not recorded then.
    func open(_ datagram: [UInt8]) -> ClearDatagram?
}

/// A received datagram in a form in which values of secrets can be found and overwritten.
public struct ClearDatagram: Sendable {
    /// Where the bytes stand in a stream that was cut into datagrams.
    public struct Place: Sendable, Hashable {
        /// Which stream of the socket.
        public var stream: Int
        /// The piece's number; the next piece of the stream has the next one, and 0 follows the largest.
        public var number: UInt16
        /// Where the piece begins in ``ClearDatagram/bytes``; it goes on to the end.
        public var start: Int

        /// Makes a value of its parts.
        public init(stream: Int, number: UInt16, start: Int) {
            (self.stream, self.number, self.start) = (stream, number, start)
        }
    }

    /// All of it in the clear.
    public var bytes: [UInt8]
    /// Where it stands in a stream; `nil` where each datagram is a whole.
    public var place: Place?
    /// Numbers one of which may have been added to all bytes of a text by exclusive or; 0 for text as it is.
    public var masks: [UInt8]
    /// Makes a datagram of such bytes again, as many as there were.
    public var close: @Sendable ([UInt8]) -> [UInt8]

    /// Makes a value of its parts.
    public init(
        _ bytes: [UInt8],
        at place: Place? = nil,
        masks: [UInt8] = [0],
        close: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
        (self.bytes, self.place, self.masks, self.close) = (bytes, place, masks, close)
    }
}

/// Datagrams of a protocol that hides nothing: each is a whole, and a text in it stands there as it is.
public struct PlainDatagrams: DatagramReader {
    /// Reads datagrams as they are.
    public init() {}

    /// The datagram itself.
    public func statement(of datagram: [UInt8]) -> [UInt8] { datagram }

    /// The datagram itself.
    public func open(_ datagram: [UInt8]) -> ClearDatagram? { ClearDatagram(datagram) }
}
