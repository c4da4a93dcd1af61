/// The files of an app's page, which are part of the program, and what the app is called.
public struct PageAssets: Sendable {
    /// The app's name, as people know it.
    public var name: String
    /// The program that serves the page; also the beginning of its cookies' names: letters and digits alone.
    public var program: String
    /// What `/` is.
    public var page: [UInt8]
    private let files: [String: [UInt8]]

    /// Puts the files of a page together.
    ///
    /// - Parameters:
    ///   - name: The app's name.
    ///   - program: The program that serves the page.
    ///   - page: What `/` is.
    ///   - files: What the page loads by name, `main.js` for `/main.js`; the ending says what it is. Modules of the kit are loaded from
    ///     `/kit/`.
    public init(name: String, program: String, page: [UInt8], files: [String: [UInt8]]) {
        self.name = name
        self.program = program
        self.page = page
        self.files = files
    }

    /// The same page, showing a recording: `data-replay` of its root element says so to its scripts.
    package var showingRecording: PageAssets {
        var assets = self
        let page = String(decoding: page, as: UTF8.self)
        let styles = "<link rel=\"stylesheet\" href=\"/kit/replay.css\">\n"
        assets.page = Array(
            page.replacing("<html lang=\"en\">", with: "<html lang=\"en\" data-replay>")
                .replacing("</head>", with: styles + "</head>").utf8
        )
        return assets
    }

    /// What a browser gets that comes with the token: it goes to the page from there, which then is opened by this origin alone.
    var entrance: [UInt8] { Self.entrance(to: name) }

    /// A page that leads to `/`, for an app of a name.
    static func entrance(to name: String) -> [UInt8] {
        Array(
            String(decoding: PackageResources.enter_html, as: UTF8.self).replacing("{name}", with: name).utf8
        )
    }

    /// What the page loads, by path.
    func file(_ path: Substring) -> (type: String, bytes: [UInt8])? {
        let bytes = path.hasPrefix("/kit/") ? Self.kit(path.dropFirst(5)) : files[String(path.dropFirst())]
        guard path.hasPrefix("/"), let bytes, let type = Self.type(of: path) else { return nil }
        return (type, bytes)
    }

    private static func type(of path: Substring) -> String? {
        switch path.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }

    /// What all pages have in common.
    private static func kit(_ name: Substring) -> [UInt8]? {
        switch name {
        case "kit.css": PackageResources.kit_css
        case "media.css": PackageResources.media_css
        case "text.css": PackageResources.text_css
        case "connection.js": PackageResources.connection_js
        case "elements.js": PackageResources.elements_js
        case "icons.js": PackageResources.icons_js
        case "alerts.js": PackageResources.alerts_js
        case "toast.js": PackageResources.toast_js
        case "notices.js": PackageResources.notices_js
        case "fields.js": PackageResources.fields_js
        case "forms.js": PackageResources.forms_js
        case "steps.js": PackageResources.steps_js
        case "tabs.js": PackageResources.tabs_js
        case "list.js": PackageResources.list_js
        case "feed.js": PackageResources.feed_js
        case "composer.js": PackageResources.composer_js
        case "rich.js": PackageResources.rich_js
        case "thumb.js": PackageResources.thumb_js
        case "lightbox.js": PackageResources.lightbox_js
        case "film.js": PackageResources.film_js
        case "gestures.js": PackageResources.gestures_js
        case "pictures.js": PackageResources.pictures_js
        case "crop.js": PackageResources.crop_js
        case "format.js": PackageResources.format_js
        case "route.js": PackageResources.route_js
        case "loading.js": PackageResources.loading_js
        case "speech.js": PackageResources.speech_js
        case "hearing.js": PackageResources.hearing_js
        case "replay.js": PackageResources.replay_js
        case "drawer.js": PackageResources.drawer_js
        case "marks.js": PackageResources.marks_js
        case "replay.css": PackageResources.replay_css
        default: nil
        }
    }
}
