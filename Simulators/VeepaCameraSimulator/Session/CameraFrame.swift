import PPPP
import PeerKit

/// One picture as the camera sends it, or as its faults want it.
struct CameraFrame {
    var number: Int
    var picture: [UInt8]
    /// The camera's clock, which begins at 0.
    var seconds: Int

    func bytes(_ faults: PeerFaults) -> [UInt8] {
        if faults.strike(VeepaFaultPoints.frameBare) != nil { return picture }
        var (kind, payload, length) = (MediaHeader.Kind.jpeg, picture, picture.count)
        if faults.strike(VeepaFaultPoints.frameH264) != nil {
            (kind, payload) = (.h264Key, [0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x65])
            length = payload.count
        }
        if faults.strike(VeepaFaultPoints.frameMalformed) != nil { payload[0] ^= 0xFF }
        if let fault = faults.strike(VeepaFaultPoints.frameTruncated) {
            payload = Array(payload.prefix(max(1, payload.count - fault.integer("bytes"))))
        }
        if let fault = faults.strike(VeepaFaultPoints.frameHuge) { length = fault.integer("bytes") }
        return header(kind, UInt32(clamping: length)) + payload
    }

    private func header(_ kind: MediaHeader.Kind, _ length: UInt32) -> [UInt8] {
        MediaHeader(
            kind,
            number: UInt32(truncatingIfNeeded: number),
            seconds: UInt32(truncatingIfNeeded: seconds),
            milliseconds: 0,
            length: length
        ).bytes
    }

    /// A piece of silence: 256 bytes of IMA ADPCM.
    static func sound(number: Int) -> [UInt8] {
        let header = MediaHeader(
            .audio,
            number: UInt32(truncatingIfNeeded: number),
            seconds: 0,
            milliseconds: 0,
            length: 256
        )
        return header.bytes + Array(repeating: 0x08, count: 256)
    }
}
