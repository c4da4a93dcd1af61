import AppHost
import LiveTransport
import PageKit
import ScreenKit
import Transport

/// Every component of PageKit in every state, on one page of this machine.
///
/// Prints one line: a JSON object with the page's address. Runs until it is interrupted.
@main
struct KitPage {
    private struct Facts: Encodable {
        var page: String
    }

    static func main() async {
        let output = AppOutput("kit-page")
        await output.run { stopped in
            let server = PageServer(.kit, token: PageToken()) { NoScreens() }
            let listener = try await LoopbackHost().listen(server, at: .loopback())
            try output.line(of: Facts(page: server.address(at: "\(listener.address)")))
            await stopped()
            await listener.stop()
        }
    }
}

/// The page makes up the states that it shows.
@MainActor
private final class NoScreens: PageWindow {
    let screens: [EncodedScreen] = []

    nonisolated init() {}

    func appear() {}
    func disappear() {}
}

extension PageAssets {
    fileprivate static let kit = PageAssets(
        name: "Kit",
        program: "kit",
        page: PackageResources.page_html,
        files: [
            "page.css": PackageResources.page_css, "main.js": PackageResources.main_js,
            "picture.svg": PackageResources.picture_svg, "portrait.svg": PackageResources.portrait_svg,
            "icon.svg": PackageResources.icon_svg,
        ]
    )
}
