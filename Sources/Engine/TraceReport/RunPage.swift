public import Exploration
public import Foundation
public import Simulation

/// One run as a page: lanes over virtual time, arrows, search, and the state at a cursor.
///
/// The page is one HTML file that loads nothing from anywhere, so that it can be sent to someone or kept by CI.
public struct RunPage: Sendable {
    /// A picture that the run has seen.
    public struct Picture: Sendable {
        /// When, in nanoseconds of virtual time.
        public var nanoseconds: Int64
        /// What it is, for those who do not see it.
        public var label: String
        /// A whole JPEG file; small, since all are in the page.
        public var jpeg: [UInt8]

        /// Makes a picture.
        public init(nanoseconds: Int64, label: String, jpeg: [UInt8]) {
            self.nanoseconds = nanoseconds
            self.label = label
            self.jpeg = jpeg
        }
    }

    /// How the run ended.
    public enum Ending: Sendable, Hashable {
        /// As it should.
        case passed
        /// With this message.
        case failed(String)
        /// Not known, as with a recording that was cut off.
        case unknown
    }

    /// The heading.
    public var title: String
    /// How the run ended.
    public var ending: Ending
    /// The line that repeats the run; `nil` for a run that cannot be repeated.
    public var repeatingLine: String?
    /// In how many seeds the program fails like this; `nil` where it is not known.
    public var rate: FailureRate?
    /// What the program did without which the run passes.
    public var causes: [Cause]
    /// The lines whose order matters, which the page shows first; `nil` where they are not known.
    public var race: Race?
    /// How likely the failure is from moments of the run on; `nil` where it is not known.
    public var curve: FailureCurve?
    /// What happened.
    public var trace: Trace
    /// What was seen, in order of time.
    public var pictures: [Picture]

    /// Makes a page.
    public init(
        title: String,
        ending: Ending,
        repeatingLine: String?,
        trace: Trace,
        rate: FailureRate? = nil,
        causes: [Cause] = [],
        race: Race? = nil,
        curve: FailureCurve? = nil,
        pictures: [Picture] = []
    ) {
        self.rate = rate
        self.causes = causes
        self.race = race
        self.curve = curve
        self.title = title
        self.ending = ending
        self.repeatingLine = repeatingLine
        self.trace = trace
        self.pictures = pictures
    }

    /// The whole file, in UTF-8.
    ///
    /// - Throws: An `EncodingError`, if a text of the trace cannot be encoded.
    public func html() throws -> Data {
        var page = Data()
        page.append(Data("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n".utf8))
        page.append(Data("<meta name=\"viewport\" content=\"width=device-width\">\n".utf8))
        // Nothing is loaded and nothing is sent, whatever the trace contains.
        page.append(Data("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ".utf8))
        page.append(Data("style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n".utf8))
        page.append(Data("<title>LensSim</title>\n<style>\n".utf8))
        page.append(contentsOf: PackageResources.page_css)
        page.append(Data("</style>\n</head>\n<body>\n".utf8))
        page.append(contentsOf: PackageResources.page_html)
        page.append(Data("<script type=\"application/json\" id=\"data\">".utf8))
        page.append(try json())
        page.append(Data("</script>\n<script>\n".utf8))
        // One script: each part sees what the parts before it have defined.
        for part in [
            PackageResources.items_js, PackageResources.drawing_js, PackageResources.panel_js,
            PackageResources.controls_js,
        ] {
            page.append(contentsOf: part)
        }
        page.append(Data("</script>\n</body>\n</html>\n".utf8))
        return page
    }

    /// The data, safe within a `<script>`: without any `<`, nothing in it can end the element.
    private func json() throws -> Data {
        let encoded = try JSONEncoder().encode(PageData(self))
        var safe = Data(capacity: encoded.count)
        for byte in encoded {
            if byte == UInt8(ascii: "<") {
                safe.append(contentsOf: "\\u003c".utf8)
            } else {
                safe.append(byte)
            }
        }
        return safe
    }
}
