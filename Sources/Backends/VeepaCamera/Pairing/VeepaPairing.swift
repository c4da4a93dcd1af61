import PPPP
public import Services

/// The codes of cameras of the VStarcam family.
///
/// A camera is shown the documented code first, and then the parts that the vendor's application is said to show: which of both a
/// camera reads depends on its firmware, and those that read one pass over the other.
public struct VeepaPairing: CameraPairing {
    private let region: Int?

    /// - Parameter region: 1 China, 2 Asia, 3 America, 4 Europe; `nil` leaves it out.
    public init(region: Int? = nil) { self.region = region }

    /// Reads the code on a camera's label.
    ///
    /// Some labels have a virtual ID, which nobody but the vendor's service knows the ID of: such a camera does not appear under
    /// the ID of its label, and has to be chosen among those that are found.
    public func label(_ payload: BarcodePayload) throws(CameraPairingError) -> CameraLabel {
        do throws(CodeError) {
            let code = try LabelCode(payload.bytes)
            return CameraLabel(device: code.id.description, joining: Self.joining(code.joining))
        } catch {
            throw .notALabel(error.description)
        }
    }

    /// The numbers of public descriptions of the vendor's application.
    private static func joining(_ number: Int?) -> CameraLabel.Joining {
        switch number {
        case 21, 22, 23, 24: .code
        case 2, 8, 13: .accessPoint
        case 3: .cable
        case 9: .bluetooth
        case 15, 20, 25, 26: .mobile
        case 0, 1, 6, 17, 18, 19: .sound
        default: .unknown
        }
    }

    /// Reads `VSTB-123456-ABCDE`, or without dashes, and writes it with dashes.
    public func device(_ text: String) -> String? { DeviceID(text)?.description }

    /// The whole code, and the parts of it.
    public func codes(for access: WiFiAccess) throws(CameraPairingError) -> [Secret] {
        do throws(CodeError) {
            let whole = try WiFiCode(
                name: access.name,
                password: access.password.reveal(),
                router: access.router,
                region: region
            )
            return ([whole] + whole.parts).map { Secret($0.text) }
        } catch .invalid("RS", let reason) {
            throw .unusableName("it \(reason)")
        } catch .invalid("P", let reason) {
            throw .unusablePassword("it \(reason)")
        } catch .invalid("BS", let reason) {
            throw .unusableRouter("it \(reason)")
        } catch {
            throw .unusableName(error.description)
        }
    }

    /// Half a second, as the vendor's application.
    public var codePeriod: Duration { WiFiCode.period }

    /// The user `admin` with the password that all cameras of the family come with.
    public var factoryLogin: CameraLogin { CameraLogin(user: "admin", password: Secret("888888")) }
}
