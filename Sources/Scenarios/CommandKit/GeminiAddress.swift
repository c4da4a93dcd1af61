import ArgumentParser
import Foundation
package import GeminiAPI
import Transport

/// An address of a Gemini on the command line: `google`, `ws://host:port`, `wss://host`, or the same with `http`.
package struct GeminiAddress: ExpressibleByArgument {
    /// Where it is.
    package let endpoint: GeminiEndpoint

    /// Whether a key that is sent there can be read on its way: in plain text to another machine.
    package var showsKeys: Bool {
        if endpoint.isSecure { return false }
        let host = URL(string: "http://\(endpoint.authority)")?.host() ?? ""
        return host != "localhost" && IPAddress(host.filter { !"[]".contains($0) })?.isLoopback != true
    }

    package init?(argument: String) {
        if argument == "google" {
            endpoint = .google
            return
        }
        guard let url = URL(string: argument), let host = url.host(), !host.isEmpty, let scheme = url.scheme,
            ["ws", "wss", "http", "https"].contains(scheme)
        else { return nil }
        // Addresses of IPv6 stand in brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        endpoint = GeminiEndpoint(
            authority: url.port.map { "\(name):\($0)" } ?? name,
            isSecure: scheme == "wss" || scheme == "https"
        )
    }
}
