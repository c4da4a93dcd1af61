import JPEG
import PPPP
import QRCode
import Services
import Testing
import UnpairedVeepaCamera
import VeepaCamera
import VeepaCameraSimulator

@Suite("Codes of Wi-Fi cameras in pictures")
struct PairingTests {
    static let accesses = [
        WiFiAccess(name: "Home", password: Secret("12345678")),
        WiFiAccess(name: #"a;b"c:d\e"#, password: Secret(#"p;a"s:s\w,o=r&d"#), router: "aa:bb:cc:dd:ee:ff"),
        WiFiAccess(name: "Käse 厨房 🎥", password: Secret("Pässwörd 厨房")),
        WiFiAccess(
            name: String(repeating: "ü", count: 16),
            password: Secret(String(repeating: "0aF9", count: 16))
        ),
    ]

    private func payloads(_ file: [UInt8]) throws -> [BarcodePayload] {
        try QRCodeReader().read(VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .jpeg(file)))
    }

    @Test(
        "LENS-072 the codes of a network say its name and password, whatever characters they have, and the account",
        arguments: accesses
    )
    func wifi(access: WiFiAccess) throws {
        let codes = try VeepaPairing(region: 4).codes(for: access)
        var merged = WiFiCode()
        for (number, code) in codes.enumerated() {
            let photo = try QRCodeMaker().symbol(of: code.reveal()).photo()
            let payload = try #require(try payloads(photo).first)
            let read = try WiFiCode(payload.bytes)
            if number == 0 {
                // The whole one is enough.
                #expect(read.name == access.name && read.password == access.password.reveal())
                #expect(
                    read.account == "0"
                        && read.router == access.router.map { $0.filter { $0 != ":" } } ?? "NULL"
                )
            } else if number > 2 {
                // The others together are, too.
                merged.add(read)
            }
        }
        #expect(codes.count == 6 && merged.name == access.name && merged.password == access.password.reveal())
        #expect(merged.account == "0" && merged.region == 4)
    }

    @Test("LENS-073 the code is a matrix that a decoder reads back to the same payload", arguments: accesses)
    func symbol(access: WiFiAccess) throws {
        for code in try VeepaPairing().codes(for: access) {
            let symbol = try QRCodeMaker().symbol(of: code.reveal())
            #expect(symbol.modules.count == symbol.side * symbol.side && symbol.side >= 21)
            #expect(try QRCodeReader().read(symbol.picture(moduleSide: 3)).map(\.text) == [code.reveal()])
            #expect(try payloads(try symbol.photo()).map(\.text) == [code.reveal()])
        }
    }

    @Test func `a simulated camera's label is a code in a picture, which names the camera`() throws {
        let camera = UnpairedVeepaCamera(
            VeepaCameraSimulator(VeepaCameraSettings(id: PairingWorld.id, password: "x")) { _ in [] },
            joiningNumber: 8
        )
        let payload = try #require(try payloads(try camera.label().photo()).first)
        let label = try VeepaPairing().label(payload)
        #expect(label == CameraLabel(device: "VSTK-123456-ABCDE", joining: .accessPoint))
    }

    @Test(
        arguments: [
            (21, .code), (24, .code), (2, .accessPoint), (3, .cable), (9, .bluetooth), (20, .mobile),
            (17, .sound), (28, .unknown), (nil, .unknown),
        ] as [(Int?, CameraLabel.Joining)]
    )
    func `a label says how the camera joins a network`(number: Int?, joining: CameraLabel.Joining) throws {
        let code = LabelCode(id: PairingWorld.id, joining: number)
        #expect(try VeepaPairing().label(BarcodePayload(Array(code.text.utf8))).joining == joining)
    }

    @Test func `what cannot be used says which value it is, and does not repeat it`() {
        func error(_ access: WiFiAccess) -> CameraPairingError? {
            do throws(CameraPairingError) { _ = try VeepaPairing().codes(for: access) } catch { return error }
            return nil
        }
        let (name, password) = (
            "has not 1 to 32 bytes", "has neither 8 to 63 bytes nor 64 hexadecimal digits"
        )
        #expect(error(WiFiAccess(name: "", password: Secret("12345678"))) == .unusableName("it \(name)"))
        #expect(
            error(WiFiAccess(name: "a", password: Secret("1234567"))) == .unusablePassword("it \(password)")
        )
        #expect(
            error(WiFiAccess(name: "a", password: Secret("12345678"), router: "12:34"))
                == .unusableRouter("it has not 12 hexadecimal digits")
        )
        #expect(throws: CameraPairingError.notALabel("the code is not text")) {
            try VeepaPairing().label(BarcodePayload([0xFF]))
        }
    }

    @Test func `a typed identity is written in one way`() {
        #expect(VeepaPairing().device("vstk123456abcde") == "VSTK-123456-ABCDE")
        #expect(VeepaPairing().device("VSTK-123456-ABCDE") == "VSTK-123456-ABCDE")
        #expect(VeepaPairing().device("camera") == nil)
    }
}
