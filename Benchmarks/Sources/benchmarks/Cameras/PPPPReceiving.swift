import Glibc
import LiveTransport
import PPPP
import Services
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// The video of a Wi-Fi camera over PPPP, for each core second of the receiver, beside aiopppp.
///
/// Camera and receivers are processes of their own, and datagrams go over loopback UDP. The same camera, which speaks the binary dialect in clear
/// packets, sends the same pictures to one receiver after the other. `VeepaCamera` puts packets in order, acknowledges them, and checks each picture's headers; aiopppp
/// joins the pieces. Processor time is that of the receiver's whole process, from the last frame of a warm-up to the last frame.
enum PPPPReceiving {
    static let password = "benchmark"
    private static let warmup = 20
    private static let frames = 100
    private static let frameBytes = 256 * 1024

    private struct Failed: Error { var text: String }

    static let benchmark = Benchmark(
        name: "pppp.receive",
        summary: "megabits of a Wi-Fi camera's video a core second of the receiver, beside aiopppp"
    ) { options in
        let python = PythonPeer.find(options.pppp, in: "pppp")
        let (clear, hidden) = (try PeerProcess(.ppppCamera), try PeerProcess(.ppppHiddenCamera))
        var (ours, obfuscated, theirs) = (Samples(), Samples(), Samples())
        for round in 0...(options.rounds ?? 7) {
            let rates = [
                try rate(PeerProcess(.ppppClient, of: clear.address)),
                try rate(PeerProcess(.ppppHiddenClient, of: hidden.address)),
                try python.map {
                    let arguments = [clear.address, password, "\(warmup)", "\(frames)"]
                    return try rate(PeerProcess($0, "receive.py", arguments, name: "aiopppp"))
                },
            ]
            guard round > 0 else { continue }
            ours.add(rates[0] ?? 0)
            obfuscated.add(rates[1] ?? 0)
            if let rate = rates[2] { theirs.add(rate) }
        }
        let unit = "Mbit/core s"
        let found = [
            Finding("pppp.receive.ours", unit, ours), Finding("pppp.receive.obfuscated", unit, obfuscated),
        ]
        guard python != nil else {
            return found + [
                Finding("pppp.receive.ratio", "×", skipped: "no --pppp PATH (Peers/pppp/build tells)")
            ]
        }
        return found + [
            Finding("pppp.receive.aiopppp", unit, theirs),
            Finding("pppp.receive.ratio", "×", ours.divided(by: theirs)),
        ]
    }

    /// What a receiver has said: bytes and processor seconds.
    private static func rate(_ receiver: PeerProcess) throws -> Double {
        let words = receiver.address.split(separator: " ").compactMap { Double($0) }
        guard words.count == 2, words[0] == Double(frames * frameBytes) else {
            throw Failed(text: receiver.address)
        }
        return words[0] * 8 / 1e6 / words[1]
    }

    // MARK: The other processes

    private static func id(isHidden: Bool) throws -> DeviceID {
        // The prefix says the dialect, and the key of the packets.
        guard let id = DeviceID(isHidden ? "VSTK-123456-ABCDE" : "BATC-123456-ABCDE") else {
            throw Failed(text: "no ID")
        }
        return id
    }

    /// Starts the camera, and returns its address.
    static func serve(isHidden: Bool) async throws -> (address: String, kept: Any) {
        var settings = VeepaCameraSettings(id: try id(isHidden: isHidden), password: password)
        settings.framing = isHidden ? .cgi : .binary
        settings.framesPerSecond = 50
        let picture = picture()
        let simulator = VeepaCameraSimulator(settings) { _ in picture }
        let running = try await simulator.start(on: LoopbackHost(), at: .loopback())
        return ("\(running.address)", (simulator, running))
    }

    /// A file with the headers of a picture of 1280×720, and noise.
    private static func picture() -> [UInt8] {
        var file: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 2, 0xD0, 5, 0, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 3, 0,
        ]
        var number: UInt32 = 1
        while file.count < frameBytes - 2 {
            number = number &* 1_664_525 &+ 1_013_904_223
            file.append(UInt8(number >> 25))
        }
        return file + [0xFF, 0xD9]
    }

    /// Receives the video, and returns what it cost.
    static func receive(from address: String?, isHidden: Bool) async throws -> String {
        guard let address = address.flatMap({ Endpoint($0) }) else { throw Failed(text: "no address") }
        var options = VeepaOptions()
        options.localAddress = .loopback()
        options.searchTargets = [address]
        let credentials = VeepaCredentials(
            id: try id(isHidden: isHidden),
            user: "admin",
            password: Secret(password)
        )
        let camera = VeepaCamera(network: try LiveTransport(), options: options) { credentials }
        try await camera.connect()
        let stream = camera.frames(limit: 64)
        var (count, bytes, start) = (0, 0, 0.0)
        while count < warmup + frames {
            guard let frame = await stream.next(), case .jpeg(let file) = frame.content else {
                throw Failed(text: "the stream is over")
            }
            count += 1
            if count == warmup { start = Elapsed.now(CLOCK_PROCESS_CPUTIME_ID) }
            if count > warmup { bytes += file.count }
        }
        let seconds = Elapsed.now(CLOCK_PROCESS_CPUTIME_ID) - start
        await camera.disconnect()
        return "\(bytes) \(seconds)"
    }
}
