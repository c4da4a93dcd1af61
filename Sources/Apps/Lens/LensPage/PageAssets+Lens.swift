package import PageKit

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
        ]
    )
}
