package import PageKit

extension PageAssets {
    /// The page of Flow.
    package static let flow = PageAssets(
        name: "Flow",
        program: "flow",
        page: PackageResources.page_html,
        files: [
            "flow.css": PackageResources.flow_css, "icon.svg": PackageResources.icon_svg,
            "main.js": PackageResources.main_js, "parts.js": PackageResources.parts_js,
        ]
    )
}
