import PPPP
import PeerKit
import QRCode
public import Services
public import Transport
public import VeepaCameraSimulator

/// A simulated camera as it comes out of its box: on no network until it has seen the codes of one.
///
/// **Models.** The label, a real QR code; pictures that are shown to the camera, in which codes are really looked for; the single code
/// and parts of it, which are put together until a network's name and password are known; the time that joining takes; the access points
/// around (`VeepaCameraSettings.networks`), of which the name and the password must be right; reading codes again after a failure.
/// On the network it is a `VeepaCameraSimulator`, and stays on it when its power goes.
///
/// **Does not model.** Voice and lights, optics (what is in a picture is seen), networks of its own (AP mode), tones, Bluetooth, the
/// vendor's service, and access points that the address in a code excludes.
///
/// **Faults.** Points of `VeepaCameraSimulator.faultPoints`, all beginning with `veepa.join` or `veepa.code`.
///
/// **How it was compared.** Not compared with a real camera: none is here. The forms of codes follow two public descriptions, which
/// contradict each other about what a camera reads; it reads both. That a wrong password has it wait for codes again, and the time
/// that joining takes, are not confirmed by any source.
public actor UnpairedVeepaCamera {
    /// What the camera is once it is on the network.
    public nonisolated let simulator: VeepaCameraSimulator

    private let joiningNumber: Int
    private let joinTime: Duration
    private let reader = QRCodeReader()
    private var host: (any DatagramNetwork)?
    private var address = UnpairedVeepaCamera.everywhere
    private var known = WiFiCode()
    private var joining: Task<Void, Never>?
    private var running: RunningVeepaCamera?
    /// Whether it has joined a network, which it remembers.
    private var isPaired = false

    /// Makes a camera without power.
    ///
    /// - Parameters:
    ///   - simulator: What it is once it is on the network.
    ///   - joiningNumber: How it says on its label that it joins a network: 21 to 24 by codes.
    ///   - joinTime: How long it takes to join a network.
    public init(
        _ simulator: VeepaCameraSimulator,
        joiningNumber: Int = 21,
        joinTime: Duration = .seconds(6)
    ) {
        (self.simulator, self.joiningNumber, self.joinTime) = (simulator, joiningNumber, joinTime)
    }

    /// The code on its label.
    public nonisolated func label() throws(BarcodeError) -> BarcodeSymbol {
        let code = LabelCode(id: simulator.presentSettings.id, joining: joiningNumber)
        return try QRCodeMaker(correction: .medium).symbol(of: code.text)
    }

    /// Whether it answers on the network.
    public var isOnNetwork: Bool { running != nil }

    /// Where cameras wait for searches.
    private static let everywhere = SocketAddress(host: "0.0.0.0", port: 32_108)

    /// Gives it power: it looks for codes, or is on its network where it has joined one.
    ///
    /// - Parameters:
    ///   - host: Where it is.
    ///   - address: Where it waits for searches once it is on the network; `nil` for port 32108 of all addresses.
    public func turnOn(at host: any DatagramNetwork, address: SocketAddress? = nil) async {
        (self.host, self.address) = (host, address ?? Self.everywhere)
        if isPaired, running == nil { running = try? await simulator.start(on: host, at: self.address) }
    }

    /// Takes its power, and returns when all has ended.
    public func turnOff() async {
        host = nil
        joining?.cancel()
        await joining?.value
        joining = nil
        known = WiFiCode()
        await running?.stop()
        running = nil
    }

    /// Makes it forget its network, as its button does, and takes its power.
    public func reset() async {
        await turnOff()
        isPaired = false
    }

    /// Shows it a picture; it has seen it when this returns.
    public func look(at frame: VideoFrame) {
        guard host != nil, !isPaired, joining == nil else { return }
        for payload in (try? reader.read(frame)) ?? [] {
            guard let code = try? WiFiCode(payload.bytes) else { continue }
            let isWhole = code.isComplete
            if isWhole, simulator.faults.strike(VeepaFaultPoints.codePartsOnly) != nil { continue }
            simulator.journal.update { $0.codes += 1 }
            known.add(code)
        }
        guard let name = known.name, let password = known.password else { return }
        simulator.journal.update {
            $0.joinAttempts += 1
            $0.joinedNetwork = name
        }
        joining = Task { await self.join(name, password) }
    }

    private func join(_ name: String, _ password: String) async {
        let faults = simulator.faults
        let isNever = faults.strike(VeepaFaultPoints.joinNever) != nil
        var time = joinTime
        if let late = faults.strike(VeepaFaultPoints.joinLate) { time += late.time("seconds") }
        repeat {
            guard (try? await Task.sleep(for: time)) != nil else { return }
        } while isNever
        let isRight = simulator.presentSettings.networks.contains { network in
            network.name == name && (network.security == 0 || network.password == password)
        }
        if isRight, faults.strike(VeepaFaultPoints.joinRefused) == nil, let host,
            let running = try? await simulator.start(on: host, at: address)
        {
            (self.running, isPaired) = (running, true)
        }
        known = WiFiCode()
        joining = nil
    }
}
