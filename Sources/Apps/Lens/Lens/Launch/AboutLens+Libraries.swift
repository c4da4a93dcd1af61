extension AboutLens {
    /// The packages of `Package.resolved`, and the libraries of the system and the toolchain, by name.
    ///
    /// A test (`Tests/HouseRuleTests`) compares them with `Package.resolved` and the licences beside the packages' sources.
    static let libraries: [Library] = [
        Library("async-http-client", "Apache-2.0"),
        Library("GRDB.swift", "MIT"),
        Library("libjpeg-turbo", "IJG AND BSD-3-Clause"),
        Library("libpng", "libpng-2.0"),
        Library("libqrencode", "LGPL-2.1-or-later"),
        Library("SQLite", "blessing"),
        Library("Swift runtime and Foundation", "Apache-2.0 WITH Swift-exception"),
        Library("swift-algorithms", "Apache-2.0"),
        Library("swift-argument-parser", "Apache-2.0"),
        Library("swift-asn1", "Apache-2.0"),
        Library("swift-async-algorithms", "Apache-2.0"),
        Library("swift-atomics", "Apache-2.0"),
        Library("swift-certificates", "Apache-2.0"),
        Library("swift-collections", "Apache-2.0"),
        Library("swift-configuration", "Apache-2.0"),
        Library("swift-crypto", "Apache-2.0"),
        Library("swift-distributed-tracing", "Apache-2.0"),
        Library("swift-http-structured-headers", "Apache-2.0"),
        Library("swift-http-types", "Apache-2.0"),
        Library("swift-log", "Apache-2.0"),
        Library("swift-nio", "Apache-2.0"),
        Library("swift-nio-extras", "Apache-2.0"),
        Library("swift-nio-http2", "Apache-2.0"),
        Library("swift-nio-ssl", "Apache-2.0"),
        Library("swift-nio-transport-services", "Apache-2.0"),
        Library("swift-numerics", "Apache-2.0"),
        Library("swift-service-context", "Apache-2.0"),
        Library("swift-service-lifecycle", "Apache-2.0"),
        Library("swift-system", "Apache-2.0"),
        Library("Yams", "MIT"),
        Library("ZBar", "LGPL-2.1-or-later"),
    ]
}
