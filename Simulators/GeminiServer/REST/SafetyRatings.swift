/// The ratings that stand beside what was not let through as harmful.
///
/// The real service rates the words by category. Nothing here looks at the words: the blocking category is always the same.
enum SafetyRatings {
    /// The blocking category first, as JSON.
    static let bytes: [UInt8] = {
        let categories = ["DANGEROUS_CONTENT", "HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT"]
        let ratings = categories.enumerated().map { index, category in
            #"{\#(index == 0 ? #""blocked":true,"# : "")"category":"HARM_CATEGORY_\#(category)","#
                + #""probability":"\#(index == 0 ? "HIGH" : "NEGLIGIBLE")"}"#
        }
        return Array("[\(ratings.joined(separator: ","))]".utf8)
    }()

    /// Whether something ended for this reason has ratings.
    static func stand(beside reason: String) -> Bool { reason == "SAFETY" }
}
