internal import HTTPTypes
package import PageKit
internal import Transport

extension PageAssets {
    /// The page of Lens.
    package static let lens = PageAssets(
        name: "Lens",
        program: "lens",
        page: PackageResources.page_html,
        files: [
            "page.css": PackageResources.page_css, "parts.css": PackageResources.parts_css,
            "icon.svg": PackageResources.icon_svg, "main.js": PackageResources.main_js,
            "attachment.js": PackageResources.attachment_js,
            "composer.js": PackageResources.composer_js, "lightbox.js": PackageResources.lightbox_js,
            "analysis.js": PackageResources.analysis_js, "tiles.js": PackageResources.tiles_js,
            "camera.js": PackageResources.camera_js, "cameras.js": PackageResources.cameras_js,
            "setup.js": PackageResources.setup_js, "gallery.js": PackageResources.gallery_js,
            "chat.js": PackageResources.chat_js,
            "settings.js": PackageResources.settings_js, "places.js": PackageResources.places_js,
            "replay.js": PackageResources.replay_js, "replay.css": PackageResources.replay_css,
        ]
    )

    /// The page of Lens, showing a recording.
    package static var lensReplay: PageAssets {
        var assets = lens
        let page = String(decoding: assets.page, as: UTF8.self)
        assets.page = Array(
            page.replacing("<html lang=\"en\">", with: "<html lang=\"en\" data-replay>").utf8
        )
        return assets
    }
}

extension PageAnswer {
    /// In place of a picture that a recording does not have.
    package static let missingPicture = PageAnswer(
        status: .ok,
        type: "image/svg+xml",
        body: .bytes(PackageResources.missing_svg)
    )
}
