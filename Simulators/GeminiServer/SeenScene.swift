/// What a picture shows, as far as whoever looks at it for the server knows the scene.
public struct SeenScene: Sendable, Hashable {
    /// Something that may be in the picture.
    public struct Subject: Sendable, Hashable {
        /// What it is, such as “cat”.
        public var name: String
        /// Whether it is there.
        public var isThere: Bool
        /// A sentence about it while it is there.
        public var present: String
        /// A sentence when it was not there at the last look.
        public var begun: String
        /// A sentence when it was there at the last look, and is not now.
        public var ended: String

        /// Makes a subject.
        public init(name: String, isThere: Bool, present: String, begun: String, ended: String) {
            (self.name, self.isThere) = (name, isThere)
            (self.present, self.begun, self.ended) = (present, begun, ended)
        }
    }

    /// The place, as the end of a sentence that begins with “I see”.
    public var outline: String
    /// All that may be there; the same ones in the same order for all pictures of one scene.
    public var subjects: [Subject]
    /// Other things that can be read, by what they stand on, such as `("clock", "The clock shows 10:24.")`.
    public var readings: [Reading]

    /// Something to read in the picture.
    public struct Reading: Sendable, Hashable {
        /// What it stands on.
        public var thing: String
        /// A sentence with what it says.
        public var sentence: String

        /// Makes a reading.
        public init(thing: String, sentence: String) { (self.thing, self.sentence) = (thing, sentence) }
    }

    /// Makes what is seen.
    public init(outline: String, subjects: [Subject], readings: [Reading] = []) {
        (self.outline, self.subjects, self.readings) = (outline, subjects, readings)
    }
}
