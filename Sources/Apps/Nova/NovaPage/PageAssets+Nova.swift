package import PageKit

extension PageAssets {
    /// The page of Nova.
    package static let nova = PageAssets(
        name: "Nova",
        program: "nova",
        page: PackageResources.page_html,
        files: [
            "nova.css": PackageResources.nova_css, "icon.svg": PackageResources.icon_svg,
            "main.js": PackageResources.main_js, "places.js": PackageResources.places_js,
            "posts.js": PackageResources.posts_js, "people.js": PackageResources.people_js,
            "comments.js": PackageResources.comments_js, "create.js": PackageResources.create_js,
            "problems.js": PackageResources.problems_js,
        ]
    )
}
