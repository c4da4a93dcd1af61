import ArgumentParser
import CommandKit
import MulticastDNS
import Services

/// What the commands for services of the local network have in common.
enum LinkArguments {
    static func settings(_ interfaces: [String]) -> LinkSettings {
        LinkSettings(interfaces: interfaces.isEmpty ? nil : Set(interfaces))
    }

    /// Reads a type such as `_http._tcp`.
    @Sendable static func type(_ text: String) throws -> ServiceType {
        guard let type = ServiceType(text) else {
            throw ValidationError(
                "“\(text)” is no type of a service. One is written as _http._tcp or _sip._udp."
            )
        }
        return type
    }

    static func check(_ seconds: Int?) throws {
        if let seconds, !(1...86_400).contains(seconds) {
            throw ValidationError("--seconds must be 1 to 86400.")
        }
    }

    /// Waits until the user wants to stop, or the time is over.
    static func wait(for stop: StopRequest, atMost seconds: Int?) async {
        await withTaskGroup { group in
            group.addTask { await stop.wait() }
            if let seconds { group.addTask { try? await Task.sleep(for: .seconds(seconds)) } }
            await group.next()
            group.cancelAll()
        }
    }
}
