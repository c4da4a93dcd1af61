package import Foundation

extension PageAssets {
    /// What a page in one file may do: show what stands in it, and reach nothing else.
    ///
    /// Source: Content Security Policy Level 3; a module in an import map is a script of `data:`.
    private static let policy =
        "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; "
        + "base-uri 'none'; form-action 'none'"

    /// The page in one file, showing a recording: styles, scripts and icons stand in it, and it asks for nothing else.
    ///
    /// Modules import each other through an import map of `data:` addresses, whose names begin with `page/`.
    ///
    /// - Parameter contents: What the page answers itself with, as JSON, by the names of its elements: see `shared.js`.
    package func inOneFile(_ contents: [String: Data]) -> [UInt8] {
        var text = String(decoding: showingRecording.page, as: UTF8.self)
        text.replace(/<link rel="modulepreload"[^>]*>\n?/, with: "")
        text.replace(/<link rel="stylesheet" href="([^"]+)">/) { match in
            "<style>\n\(self.text(of: match.1))</style>"
        }
        text.replace(/<link rel="icon" href="([^"]+)">/) { match in
            "<link rel=\"icon\" href=\"\(self.address(of: match.1))\">"
        }
        text.replace(/<script src="([^"]+)"><\/script>/) { match in
            "<script>\n\(Self.inScript(self.text(of: match.1)))</script>"
        }
        var modules: [String: String] = [:]
        text.replace(/<script type="module" src="([^"]+)"><\/script>/) { match in
            self.collect(match.1, into: &modules)
            return "<script type=\"module\">import \"\(Self.name(of: match.1))\";</script>"
        }
        let map = modules.keys.sorted().map { "\"\($0)\": \"\(modules[$0] ?? "")\"" }
        let elements = contents.keys.sorted().map { name in
            // In JSON the sign stands in texts alone, and has another form there.
            let json = String(decoding: contents[name] ?? Data(), as: UTF8.self)
                .replacing("<", with: "\\u003c")
            return "<script type=\"application/json\" id=\"\(name)\">\(json)</script>"
        }
        let head = """
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta http-equiv="x-dns-prefetch-control" content="off">
            \(elements.joined(separator: "\n"))
            <script>
            \(Self.inScript(String(decoding: PackageResources.shared_js, as: UTF8.self)))</script>
            <script type="importmap">{"imports": {\(map.joined(separator: ",\n"))}}</script>

            """
        // Before all scripts, and behind the character set, which has to be near the beginning.
        let start = text.firstRange(of: "<meta name=\"viewport\"")?.lowerBound ?? text.startIndex
        text.insert(contentsOf: head, at: start)
        return Array(text.utf8)
    }

    /// Notes a module and all that it imports, with what they import named as in the map.
    private func collect(_ path: Substring, into modules: inout [String: String]) {
        let name = Self.name(of: path)
        guard modules[name] == nil else { return }
        let file = part(path)
        modules[name] = ""
        let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
        var imported: [Substring] = []
        var text = String(decoding: file.bytes, as: UTF8.self)
        text.replace(/(from |import |import\()"\.\/([^"]+)"/) { match in
            imported.append(folder + match.2)
            return "\(match.1)\"\(Self.name(of: folder + match.2))\""
        }
        modules[name] = Self.address(of: Array(text.utf8), type: file.type)
        for path in imported { collect(path, into: &modules) }
    }

    private static func name(of path: Substring) -> String { "page\(path)" }

    /// A file that the page loads: all of them are part of the program.
    private func part(_ path: Substring) -> (type: String, bytes: [UInt8]) {
        guard let file = file(path) else { preconditionFailure("the page of \(name) has no \(path)") }
        return file
    }

    private func text(of path: Substring) -> String { String(decoding: part(path).bytes, as: UTF8.self) }

    private func address(of path: Substring) -> String {
        Self.address(of: part(path).bytes, type: part(path).type)
    }

    /// A `data:` address (RFC 2397).
    private static func address(of bytes: [UInt8], type: String) -> String {
        "data:\(type.replacing(" ", with: ""));base64,\(Data(bytes).base64EncodedString())"
    }

    /// A script that does not end the element in which it stands.
    private static func inScript(_ text: String) -> String {
        text.replacing("</", with: "<\\/")
    }
}
