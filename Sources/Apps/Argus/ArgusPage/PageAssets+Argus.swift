package import PageKit

extension PageAssets {
    /// The page of Argus.
    package static let argus = PageAssets(
        name: "Argus",
        program: "argus",
        page: PackageResources.page_html,
        files: [
            "argus.css": PackageResources.argus_css, "icon.svg": PackageResources.icon_svg,
            "main.js": PackageResources.main_js, "events.js": PackageResources.events_js,
            "pull.js": PackageResources.pull_js, "places.js": PackageResources.places_js,
        ]
    )
}
