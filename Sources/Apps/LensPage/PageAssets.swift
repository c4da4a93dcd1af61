/// The files of the page, which are part of the program.
package enum PageAssets {
    /// The page itself.
    package static var page: [UInt8] { PackageResources.page_html }
    /// The page, showing a recording.
    package static var replay: [UInt8] {
        let page = String(decoding: PackageResources.page_html, as: UTF8.self)
        return Array(page.replacing("<html lang=\"en\">", with: "<html lang=\"en\" data-replay>").utf8)
    }
    /// What a browser gets that comes with the token: it goes on to the page, which then is opened by this origin alone.
    static var entrance: [UInt8] { PackageResources.enter_html }

    /// What the page loads, by path.
    static func file(_ path: Substring) -> (type: String, bytes: [UInt8])? {
        let script = "text/javascript; charset=utf-8"
        return switch path {
        case "/page.css": ("text/css; charset=utf-8", PackageResources.page_css)
        case "/parts.css": ("text/css; charset=utf-8", PackageResources.parts_css)
        case "/main.js": (script, PackageResources.main_js)
        case "/connection.js": (script, PackageResources.connection_js)
        case "/speech.js": (script, PackageResources.speech_js)
        case "/hearing.js": (script, PackageResources.hearing_js)
        case "/attachment.js": (script, PackageResources.attachment_js)
        case "/elements.js": (script, PackageResources.elements_js)
        case "/rich.js": (script, PackageResources.rich_js)
        case "/composer.js": (script, PackageResources.composer_js)
        case "/route.js": (script, PackageResources.route_js)
        case "/lightbox.js": (script, PackageResources.lightbox_js)
        case "/analysis.js": (script, PackageResources.analysis_js)
        case "/tiles.js": (script, PackageResources.tiles_js)
        case "/loading.js": (script, PackageResources.loading_js)
        case "/alerts.js": (script, PackageResources.alerts_js)
        case "/toast.js": (script, PackageResources.toast_js)
        case "/format.js": (script, PackageResources.format_js)
        case "/camera.js": (script, PackageResources.camera_js)
        case "/cameras.js": (script, PackageResources.cameras_js)
        case "/setup.js": (script, PackageResources.setup_js)
        case "/gallery.js": (script, PackageResources.gallery_js)
        case "/film.js": (script, PackageResources.film_js)
        case "/chat.js": (script, PackageResources.chat_js)
        case "/settings.js": (script, PackageResources.settings_js)
        case "/replay.js": (script, PackageResources.replay_js)
        case "/replay.css": ("text/css; charset=utf-8", PackageResources.replay_css)
        case "/icon.svg": ("image/svg+xml", PackageResources.icon_svg)
        default: nil
        }
    }
}
