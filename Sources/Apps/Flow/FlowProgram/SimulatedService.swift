import FlowServer
import ServiceClient
import Services
import Transport

/// The service of a run that names no other, on a free port of this machine.
enum SimulatedService {
    /// A service whose code and secrets are drawn for this run, and open nothing else.
    static func project(_ choices: RunningFlow.Choices) -> FlowProject {
        var project = FlowProject()
        project.clientID = choices.clientID
        project.clientSecret = choices.clientSecret?.reveal() ?? random()
        project.signingSecret = random()
        let digits = String(Int.random(in: 0...999_999))
        project.verificationCode = String(repeating: "0", count: 6 - digits.count) + digits
        if let lifetime = choices.tokenLifetime { project.tokenLifetime = lifetime }
        return project
    }

    /// Where it is served.
    static func address(_ listener: any Listener) throws(TransportError) -> ServiceAddress {
        guard let address = ServiceAddress("http://\(listener.address)") else {
            throw TransportError(.protocolViolation, operation: "serve", peer: "\(listener.address)")
        }
        return address
    }

    /// 128 bits of the system's generator, in hexadecimal.
    private static func random() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    }
}
