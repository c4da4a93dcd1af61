import ArgumentParser
import Foundation
import GeminiAPI

/// An address of a Gemini on the command line: `google`, `ws://host:port`, `wss://host`, or the same with `http`.
struct GeminiAddress: ExpressibleByArgument {
    let endpoint: GeminiEndpoint

    init?(argument: String) {
        if argument == "google" {
            endpoint = .google
            return
        }
        guard let url = URL(string: argument), let host = url.host(), !host.isEmpty, let scheme = url.scheme,
            ["ws", "wss", "http", "https"].contains(scheme)
        else { return nil }
        endpoint = GeminiEndpoint(
            authority: url.port.map { "\(host):\($0)" } ?? host,
            isSecure: scheme == "wss" || scheme == "https"
        )
    }
}
