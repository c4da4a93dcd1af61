import Lens
import Services

/// Codes as pictures of one byte: 1 has none, 2 is no picture, 3 is a label, 4 another code.
struct ScriptedCodes: BarcodeReader, BarcodeMaker, CameraPairing {
    static let device = "VSTK-123456-ABCDE"
    static let label: UInt8 = 3
    static let otherCode: UInt8 = 4
    static let noPicture: UInt8 = 2

    /// As an app takes them.
    var codes: CameraCodes { CameraCodes(reader: self, maker: self, pairing: self) }

    func read(_ frame: VideoFrame) throws(BarcodeError) -> [BarcodePayload] {
        guard case .jpeg(let file) = frame.content, let number = file.first, number != Self.noPicture else {
            throw .undecodable("it is 2")
        }
        return number > Self.noPicture ? [BarcodePayload([number])] : []
    }

    func symbol(of text: String) throws(BarcodeError) -> BarcodeSymbol {
        guard text != "too long" else { throw .textTooLong(bytes: 3000, most: 2953) }
        return BarcodeSymbol(side: 1, modules: [true])
    }

    func label(_ payload: BarcodePayload) throws(CameraPairingError) -> CameraLabel {
        guard payload.bytes == [Self.label] else { throw .notALabel("it is \(payload.bytes)") }
        return CameraLabel(device: Self.device, joining: .code)
    }

    func device(_ text: String) -> String? { text }

    func codes(for access: WiFiAccess) throws(CameraPairingError) -> [Secret] {
        guard !access.name.isEmpty else { throw .unusableName("it is empty") }
        guard access.password.reveal().count >= 8 else { throw .unusablePassword("it is short") }
        return [access.password, access.password]
    }

    var codePeriod: Duration { .milliseconds(500) }
    var factoryLogin: CameraLogin { CameraLogin(user: "admin", password: Secret("factory")) }
}
