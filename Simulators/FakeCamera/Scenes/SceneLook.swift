import PeerKit

/// Colours and things of a drawn scene, as its seed has them.
struct SceneLook {
    /// A colour with its name.
    struct Named {
        let name: String
        let paint: Paint

        init(_ name: String, _ code: Int) { (self.name, paint) = (name, Paint(code)) }
    }

    let wall: Paint
    let sofa: Named
    let curtain: Named
    let fur: Named
    let isDog: Bool
    let ball: Named
    let sky: (upper: Paint, lower: Paint, hill: Paint)
    let door: Named
    let house: Paint
    let coat: Named
    let car: Named
    /// Two lines of at most ten capitals.
    let note: [String]
    /// What the clock shows when the camera connects, in seconds since midnight.
    let clockStart: Int
    /// Decides books and other small things.
    let details: UInt64

    /// The kind of the animal, as it is called.
    var pet: String { isDog ? "dog" : "cat" }

    init(_ scene: DrawnScene) {
        var numbers = SeededNumbers(seed: 0x10_0CE ^ UInt64(scene.seed) << 8 ^ UInt64(scene.place.rawValue))
        func one<Choice>(_ choices: [Choice]) -> Choice {
            choices[Int.random(in: choices.indices, using: &numbers)]
        }
        wall = Paint(one([0xE6DCCB, 0xD5DFD3, 0xD6DFE8, 0xEAD9D2, 0xE9E1C6, 0xDDD7E6]))
        sofa = one([
            Named("blue", 0x4E7FA0), Named("green", 0x5D8A66), Named("red", 0xA9524B),
            Named("mustard", 0xC79A45), Named("purple", 0x7B6293), Named("grey", 0x737C86),
        ])
        curtain = one([
            Named("red", 0xC75146), Named("green", 0x6E9C76), Named("blue", 0x5277A6),
            Named("orange", 0xDD9450),
        ])
        fur = one([
            Named("black", 0x3A3436), Named("ginger", 0xC8773B), Named("grey", 0x7D8087),
            Named("brown", 0x71503A),
        ])
        isDog = Int.random(in: 0..<3, using: &numbers) == 0
        ball = one([Named("red", 0xD64F42), Named("yellow", 0xEDBE3F), Named("green", 0x58A566)])
        sky = one([
            (Paint(0x6FB0E8), Paint(0xCDE6F5), Paint(0x6FA072)),
            (Paint(0xF0A868), Paint(0xF8DDB0), Paint(0x7C8B5E)),
            (Paint(0x94B6CC), Paint(0xDDE7EA), Paint(0x7E9A84)),
        ])
        door = one([
            Named("green", 0x2F6B57), Named("red", 0xA63D3A), Named("blue", 0x2F5B8C),
            Named("yellow", 0xDFAA3E),
        ])
        house = Paint(one([0xEFE6D6, 0xC9D6DC, 0xD9CBB4, 0xB9C7B4]))
        coat = one([Named("yellow", 0xEBB93B), Named("red", 0xC94D46), Named("blue", 0x3E6EA8)])
        car = one([Named("red", 0xC53F3A), Named("white", 0xEFEFEA), Named("blue", 0x3A6FB0)])
        note = one([
            ["BUY MILK", "AND BREAD"], ["CALL MIA", "AT NOON"], ["WATER THE", "PLANTS"],
            ["BACK AT", "FIVE"], ["FEED THE", "GOLDFISH"], ["LIBRARY", "TUESDAY"],
        ])
        clockStart = Int.random(in: 8 * 3_600..<20 * 3_600, using: &numbers)
        details = numbers.next()
    }
}
