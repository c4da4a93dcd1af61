import Lens
import SimulationTesting
import Testing

@Suite("Sentence splitter")
struct SentenceSplitterTests {
    /// Feeds a text in chunks; a sentence that comes with the end stands behind a nil.
    private static func split(_ chunks: [String]) -> [String] {
        var splitter = SentenceSplitter()
        return chunks.flatMap { splitter.append($0) } + splitter.finish()
    }

    @Test(
        "LENS-118 sentences end where they should",
        arguments: [
            ("Hello there. How are you? Fine!", ["Hello there.", "How are you?", "Fine!"]),
            ("It is 3.14 or v2.0 now. Yes.", ["It is 3.14 or v2.0 now.", "Yes."]),
            ("Use tools, e.g. a hammer. Done.", ["Use tools, e.g. a hammer.", "Done."]),
            (
                "The U.S. team, i.e. the best (e.g. now) won. Ok.",
                ["The U.S. team, i.e. the best (e.g. now) won.", "Ok."]
            ),
            ("Dr. Smith met Mr. J. Doe. They talked.", ["Dr. Smith met Mr. J. Doe.", "They talked."]),
            (
                "I have seen 9 frames, e.g. no. 5 of St. Paul's Inc. Good. On Jan. 5th, nr. 7.",
                ["I have seen 9 frames, e.g. no. 5 of St. Paul's Inc. Good.", "On Jan. 5th, nr. 7."]
            ),
            ("Is it red? No. It is blue.", ["Is it red?", "No.", "It is blue."]),
            ("So am I. Really.", ["So am I.", "Really."]),
            ("Wait... what? Well… no.", ["Wait... what?", "Well… no."]),
            ("See https://a.example/b?c=1. Then go.", ["See https://a.example/b?c=1.", "Then go."]),
            ("Really?! Yes!! Ok.", ["Really?!", "Yes!!", "Ok."]),
            (
                "He said \"Go.\" She went. (Alone.) Home.",
                ["He said \"Go.\"", "She went.", "(Alone.)", "Home."]
            ),
            ("First line\nsecond line\r\n\r\nthird", ["First line", "second line", "third"]),
            ("1. Door 2. Window. End", ["1. Door 2.", "Window.", "End"]),
            ("你好。今天怎么样？很好！", ["你好。", "今天怎么样？", "很好！"]),
            ("「你好。」他说。", ["「你好。」", "他说。"]),
            ("كيف حالك؟ أنا بخير. شكرا!", ["كيف حالك؟", "أنا بخير.", "شكرا!"]),
            ("یہ کیا ہے؟ یہ کتاب ہے۔ اچھا۔", ["یہ کیا ہے؟", "یہ کتاب ہے۔", "اچھا۔"]),
            ("यह क्या है? यह किताब है। हाँ।", ["यह क्या है?", "यह किताब है।", "हाँ।"]),
            ("Great! 🎉 Next. 👩‍🔬 works? 👍🏽", ["Great!", "🎉 Next.", "👩‍🔬 works?"]),
            ("... !? \n — . Words. ***", ["— . Words."]),
            ("", []),
            ("   \n\t ", []),
            ("No end", ["No end"]),
            ("  Padded.   Twice.  ", ["Padded.", "Twice."]),
            ("Grün ist schön. Ça va? Да.", ["Grün ist schön.", "Ça va?", "Да."]),
        ]
    )
    func rules(text: String, sentences: [String]) {
        #expect(Self.split([text]) == sentences)
    }

    @Test(
        "every way of cutting a text into chunks gives the same sentences",
        arguments: [
            "A b. C? D!", "e.g. x. Y", "3.1 v. No?!", "Hi... \"Y.\" Z", "你。好！e\u{301}. x",
            "a\r\nb. \u{1F469}\u{200D}\u{1F52C}. c",
        ]
    )
    func allChunkings(text: String) {
        let scalars = Array(text.unicodeScalars)
        let whole = Self.split([text])
        for mask in 0..<(1 << (scalars.count - 1)) {
            var chunks = [""]
            for (index, scalar) in scalars.enumerated() {
                chunks[chunks.count - 1].unicodeScalars.append(scalar)
                if index < scalars.count - 1, mask & (1 << index) != 0 { chunks.append("") }
            }
            #expect(Self.split(chunks) == whole, "cut as \(chunks)")
        }
    }

    @Test("two cuts anywhere in a longer text change nothing")
    func twoCuts() {
        let text =
            "On the left, Dr. Lee holds v2.0... of what? See http://x.y/z.\nThe U.S. flag (e.g. red). \"Is it?\" 是。Yes!"
        let scalars = Array(text.unicodeScalars)
        let whole = Self.split([text])
        func string(_ range: Range<Int>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars[range])
            return String(view)
        }
        for first in 0...scalars.count {
            for second in first...scalars.count {
                let chunks = [string(0..<first), string(first..<second), string(second..<scalars.count)]
                #expect(Self.split(chunks) == whole, "cut at \(first) and \(second)")
            }
        }
    }

    @Test("a is given as soon as the text behind it shows that it is complete")
    func early() {
        var splitter = SentenceSplitter()
        #expect(splitter.append("A door. ") == ["A door."])
        #expect(splitter.append("It is 3.") == [])
        #expect(splitter.append("14 m wide.") == [])
        #expect(splitter.append(" And") == ["It is 3.14 m wide."])
    }

    @Test("text without an end is given at the end")
    func trailing() {
        var splitter = SentenceSplitter()
        #expect(splitter.append("One. And then") == ["One."])
        #expect(splitter.finish() == ["And then"])
        #expect(splitter.finish() == [])
    }

    @Test("a text without any end is cut at white space, so that memory stays bounded")
    func endless() {
        var splitter = SentenceSplitter()
        var sentences: [String] = []
        for _ in 0..<5_000 { sentences += splitter.append("word ") }
        sentences += splitter.finish()
        #expect(sentences.allSatisfy { $0.unicodeScalars.count <= SentenceSplitter.lengthLimit })
        #expect(sentences.joined(separator: " ").split(separator: " ").count == 5_000)

        var solid = SentenceSplitter()
        let pieces = solid.append(String(repeating: "x", count: 2_500)) + solid.finish()
        #expect(pieces.map(\.count) == [1_000, 1_000, 500])
    }

    @Test(
        "every letter and digit of any text is in exactly one sentence, in order, however it was cut",
        .simulated(seeds: 1...400)
    )
    func anyText() {
        let pieces = [
            "word", "Dr.", "e.g.", "3.14", "v2.0", "http://x.y/z?a=1.", ".", "!", "?", "...", "…", " ", " ",
            " ", "\n", "\r\n",
            "\"", ")", "(", "“", "”", "你好", "。", "！", "「", "」", "مرحبا", "؟", "۔", "किताब", "।", "👩‍🔬", "👍🏽", "🇩🇪",
            "e\u{301}", "1.", "J.",
            "\u{200F}", "\u{FEFF}",
        ]
        let scalars = (0..<Int.random(in: 0...60)).flatMap { _ in
            Array((pieces.randomElement() ?? "").unicodeScalars)
        }
        var chunks = [String.UnicodeScalarView()]
        for scalar in scalars {
            if Int.random(in: 0..<3) == 0 { chunks.append(.init()) }
            chunks[chunks.count - 1].append(scalar)
        }
        let sentences = Self.split(chunks.map(String.init))
        let said = sentences.flatMap(\.unicodeScalars).filter(Self.isHeard)
        #expect(said == scalars.filter(Self.isHeard))
        #expect(sentences == Self.split([String(String.UnicodeScalarView(scalars))]))
        #expect(!sentences.contains { !$0.unicodeScalars.contains(where: Self.isHeard) })
    }

    /// Whether a voice has something to say to it.
    private static func isHeard(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
