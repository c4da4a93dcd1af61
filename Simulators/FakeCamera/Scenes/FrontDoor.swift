import Glibc

/// The outside of a house: street and garden, the door with its mat, and a lantern.
struct FrontDoor: SceneArt {
    let look: SceneLook

    init(_ look: SceneLook) { self.look = look }

    private static let ground = 520.0

    func paintBackdrop(_ painter: Painter, _ backdrop: SceneBackdrop) {
        paintStreet(painter, isRaining: backdrop.isChanged)
        paintHouse(painter)
        paintDoor(painter)
        let corner = SceneNote.corner(in: .frontDoor)
        painter.note(look.note, x: corner.x, y: corner.y, isSharp: !backdrop.isFocusNear)
        paintGround(painter)
    }

    private func paintStreet(_ painter: Painter, isRaining: Bool) {
        let view = painter.view
        let (left, width) = (view.left - 2, view.right - view.left + 4)
        let upper = isRaining ? Paint(0x8593A0) : Paint(0x79B7EA)
        let lower = isRaining ? Paint(0xBCC5CB) : Paint(0xD8ECF7)
        painter.rectangle(left, view.top - 2, width, 62 - view.top, upper)
        painter.gradient(Box(left, 60, width, 330), upper, lower)
        if isRaining {
            for (x, y) in [(120.0, 110.0), (330, 90), (520, 128)] {
                painter.ellipse(x, y, 110, 26, Paint(0x75818C))
                painter.ellipse(x - 40, y - 12, 50, 22, Paint(0x75818C))
            }
        } else {
            painter.ellipse(96, 124, 34, 34, Paint(0xFFF0B8))
        }
        // Houses on the other side.
        for (index, x) in [20.0, 220, 420].enumerated() {
            let wall = [Paint(0xC9B8A4), Paint(0xB7A3A0), Paint(0xB9BFA8)][index]
            painter.rectangle(x, 262, 170, 130, wall)
            painter.polygon([(x - 14, 264), (x + 85, 200), (x + 184, 264)], Paint(0x7B5A50))
            for pane in 0..<2 {
                painter.rectangle(x + 24 + Double(pane) * 84, 290, 38, 44, Paint(0xEAF1F2))
                painter.rectangle(x + 42 + Double(pane) * 84, 290, 3, 44, wall.darker(0.2))
            }
        }
        painter.rectangle(left, 388, width, 16, Paint(0xBDB8AE))
        painter.rectangle(left, 404, width, 60, Paint(0x6B6F76))
        for dash in 0..<14 { painter.rectangle(-20 + Double(dash) * 96, 432, 46, 4, Paint(0xE6E2D4)) }
        painter.rectangle(left, 464, width, 10, Paint(0xCFCABD))
        paintTree(painter)
    }

    private func paintTree(_ painter: Painter) {
        painter.rectangle(206, 330, 22, 170, Paint(0x74543E), radius: 6)
        let leaves = Paint(0x4F8A54)
        for (x, y, size) in [(216.0, 262.0, 78.0), (166, 296, 52), (268, 296, 54), (216, 216, 56)] {
            painter.ellipse(x, y, size, size * 0.86, leaves.darker(x < 200 ? 0.1 : 0))
        }
        painter.ellipse(236, 238, 40, 32, leaves.lighter(0.14))
    }

    private func paintHouse(_ painter: Painter) {
        let view = painter.view
        let right = view.right - 660 + 4
        painter.rectangle(660, view.top - 2, right, Self.ground - view.top + 20, look.house)
        var y = 64.0
        while y < Self.ground {
            painter.rectangle(660, y, right, 2.4, look.house.darker(0.12))
            y += 38
        }
        painter.rectangle(660, view.top - 2, 16, Self.ground - view.top + 20, look.house.lighter(0.5))
        painter.rectangle(676, view.top - 2, 4, Self.ground - view.top + 20, look.house.darker(0.2))
        // The window beside the door.
        painter.rectangle(1_040, 176, 186, 214, Paint(0xFAF7F0), radius: 3)
        painter.gradient(Box(1_052, 188, 162, 190), Paint(0x5A7382), Paint(0x8DA4AE))
        painter.polygon(
            [(1_052, 300), (1_150, 188), (1_190, 188), (1_052, 350)],
            Paint(0xA9BEC7),
            opacity: 0.6
        )
        painter.rectangle(1_130, 188, 7, 190, Paint(0xFAF7F0))
        painter.rectangle(1_052, 276, 162, 7, Paint(0xFAF7F0))
        painter.rectangle(1_030, 388, 206, 14, Paint(0xEFE9DC), radius: 3)
        painter.rectangle(1_036, 402, 194, 44, Paint(0x8A5A42), radius: 4)
        for (index, x) in stride(from: 1_052.0, to: 1_225, by: 24).enumerated() {
            painter.ellipse(x, 392, 18, 15, Paint(0x4B8455))
            let bloom = [look.coat.paint, look.door.paint.lighter(0.4), Paint(0xF4F0E6)][index % 3]
            painter.ellipse(x + 3, 384, 8, 8, bloom)
        }
        // A lantern.
        painter.rectangle(716, 196, 34, 6, Paint(0x2E2B2A))
        painter.polygon([(718, 202), (748, 202), (742, 252), (724, 252)], Paint(0xFFE9A8))
        painter.rectangle(731, 202, 4, 50, Paint(0x2E2B2A))
        painter.rectangle(722, 250, 22, 6, Paint(0x2E2B2A), radius: 2)
    }

    private func paintDoor(_ painter: Painter) {
        let paint = look.door.paint
        painter.rectangle(786, 122, 214, 408, Paint(0xFAF7F0), radius: 4)
        painter.rectangle(802, 138, 182, 392, paint, radius: 2)
        for (row, height) in [(160.0, 104.0), (286, 96), (404, 96)] {
            for column in [820.0, 904] {
                painter.rectangle(column, row, 62, height, paint.darker(0.18), radius: 3)
                painter.rectangle(column + 3, row + 4, 59, height - 4, paint.lighter(0.07), radius: 3)
            }
        }
        painter.rectangle(824, 166, 54, 92, Paint(0xBFD8E2))
        painter.rectangle(908, 166, 54, 92, Paint(0xBFD8E2))
        painter.rectangle(858, 388, 70, 12, Paint(0xD9B65A), radius: 4)
        painter.ellipse(966, 352, 9, 9, Paint(0xE5C46A))
        painter.rectangle(962, 366, 8, 20, Paint(0xC9A34C), radius: 3)
        // The bell beside it, below the note.
        painter.rectangle(726, 352, 22, 34, Paint(0x4A4745), radius: 5)
        painter.ellipse(737, 366, 6, 6, Paint(0xF2E3B3))
    }

    private func paintGround(_ painter: Painter) {
        let view = painter.view
        let (left, width, depth) = (view.left - 2, view.right - view.left + 4, view.bottom - Self.ground + 2)
        painter.rectangle(left, 474, 660 - left, view.bottom - 474 + 2, Paint(0x86AD66))
        painter.polygon([(left, 520), (660, 492), (660, 560), (left, 640)], Paint(0x92B870))
        painter.rectangle(660, Self.ground, width - 660 + left, depth, Paint(0xB9B2A6))
        painter.rectangle(660, Self.ground, width - 660 + left, 8, Paint(0xD6D0C4))
        // The path from the street.
        painter.polygon(
            [(330, 474), (440, 474), (700, 640), (700, max(760, view.bottom)), (120, max(760, view.bottom))],
            Paint(0xC7BFB0)
        )
        for (y, x, length) in [(500.0, 376.0, 90.0), (536, 400, 120), (584, 400, 170), (646, 380, 250)] {
            painter.rectangle(x - 20, y, length, 3, Paint(0xA69E90))
        }
        for row in 0..<3 {
            painter.rectangle(700, 560 + Double(row) * 62, width, 3, Paint(0x9C958A))
        }
        painter.rectangle(796, 606, 196, 34, Paint(0x6E4F3A), radius: 5)
        painter.rectangle(804, 611, 180, 24, Paint(0x8A664C), radius: 4)
        painter.write("WELCOME", x: 849, y: 615, dot: 2.2, Paint(0xE8D6B4))
        // A bush in a pot.
        painter.ellipse(1_120, 634, 62, 10, Paint(0x4A443C), opacity: 0.3)
        painter.polygon([(1_076, 540), (1_164, 540), (1_150, 636), (1_090, 636)], Paint(0xB7573C))
        painter.rectangle(1_070, 532, 100, 18, Paint(0xC86A4C), radius: 4)
        painter.ellipse(1_120, 486, 66, 58, Paint(0x3F7D4E))
        painter.ellipse(1_100, 466, 36, 30, Paint(0x53955F))
    }
}
