/// What stands before each frame of the video and audio channels: 32 bytes in little-endian order.
///
/// Source: public clients (vstarcamctl, cam-reverse, aiopppp), which agree on the fields that are here.
package struct MediaHeader: Sendable, Hashable {
    /// What a frame is.
    package enum Kind: UInt8, Sendable, Hashable {
        case h264Key = 0
        case h264 = 1
        case jpeg = 3
        case audio = 6
    }

    static let magic: [UInt8] = [0x55, 0xAA, 0x15, 0xA8]
    package static let byteCount = 32

    /// Of what kind the frame is, as the camera says it; see ``kind``.
    package var type: UInt8
    package var milliseconds: UInt16
    /// Since 1970, by the camera's own clock.
    package var seconds: UInt32
    package var number: UInt32
    /// The bytes that follow.
    package var length: UInt32

    package init(_ kind: Kind, number: UInt32, seconds: UInt32, milliseconds: UInt16, length: UInt32) {
        type = kind.rawValue
        (self.number, self.seconds, self.milliseconds, self.length) = (number, seconds, milliseconds, length)
    }

    /// What it is; `nil` for kinds that are neither video nor audio, or not known.
    package var kind: Kind? { Kind(rawValue: type) }

    /// Reads a header from the front of bytes; `nil` where there is none.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        var reader = WireReader(bytes.dropFirst(4))
        guard let type = reader.byte(), reader.byte() != nil, let milliseconds = reader.little16(),
            let seconds = reader.little32(), let number = reader.little32(), let length = reader.little32()
        else { return nil }
        (self.type, self.milliseconds, self.seconds) = (type, milliseconds, seconds)
        (self.number, self.length) = (number, length)
    }

    /// As it is sent.
    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes += [type, 0]
        bytes.append(little: milliseconds)
        bytes.append(little: seconds)
        bytes.append(little: number)
        bytes.append(little: length)
        bytes += repeatElement(0, count: Self.byteCount - bytes.count)
        return bytes
    }
}
