import Glibc

extension FrontDoor {
    /// The number of the form that does not walk.
    private static let standing = 8

    func figures(at moment: SceneMoment, number: Int) -> [Figure] {
        var figures: [Figure] = []
        if let box = moment.box(of: .carPasses) { figures += carBehindTree(box, moment.goesRight) }
        figures += houseNumber(number)
        if let box = moment.box(of: .parcelLies) { figures.append(Figure(.parcel, box)) }
        let isRaining = moment.box(of: .rainFalls) != nil
        if let box = moment.box(of: .visitorWaits) {
            figures.append(
                Figure(
                    isRaining ? .visitorWithUmbrella : .visitor,
                    box,
                    number: moment.isVisitorWaiting ? Self.standing : moment.step,
                    isMirrored: moment.isVisitorLeaving
                )
            )
        }
        if isRaining { figures += rain(moment) }
        return figures
    }

    func paint(_ form: Figure.Form, _ painter: Painter) {
        switch form.name {
        case .car: paintCar(painter, isMirrored: form.isMirrored)
        case .trunk: painter.rectangle(0, 0, 22, 96, Paint(0x74543E))
        case .corner: paintCorner(painter)
        case .plate:
            painter.rectangle(0, 0, 172, 58, Paint(0x27455C), radius: 8)
            painter.rectangle(4, 4, 164, 50, Paint(0x2F5470), radius: 6)
        case .digit: painter.writeSegments(form.number, x: 2, y: 1, width: 18, Paint(0xF6F1E2))
        case .parcel: paintParcel(painter)
        case .visitor, .visitorWithUmbrella: paintVisitor(painter, form)
        case .drop: painter.rectangle(0.6, 0, 2.4, 26, Paint(0xDCE6EC))
        default: break
        }
    }

    /// The car, and over it what stands nearer than the street.
    private func carBehindTree(_ box: Box, _ goesRight: Bool) -> [Figure] {
        guard box.x < SceneMoment.cornerOfHouse else { return [] }
        return [Figure(.car, box, isMirrored: !goesRight), Figure(.trunk, Box(206, 372, 22, 96))]
            + (box.x + box.width > SceneMoment.cornerOfHouse ? [Figure(.corner, Box(660, 370, 200, 92))] : [])
    }

    private func paintCar(_ painter: Painter, isMirrored: Bool) {
        var painter = painter
        painter.isMirrored = isMirrored
        let paint = look.car.paint
        painter.polygon([(46, 30), (66, 4), (124, 4), (150, 30)], paint.darker(0.1))
        painter.polygon([(58, 29), (72, 9), (94, 9), (94, 29)], Paint(0xCFE3EA))
        painter.polygon([(100, 29), (100, 9), (121, 9), (138, 29)], Paint(0xCFE3EA))
        painter.rectangle(4, 28, 182, 32, paint, radius: 12)
        painter.rectangle(4, 46, 182, 8, paint.darker(0.2), radius: 3)
        painter.ellipse(178, 40, 6, 6, Paint(0xFFF1B5))
        for x in [44.0, 146] {
            painter.ellipse(x, 58, 17, 17, Paint(0x2A2A2C))
            painter.ellipse(x, 58, 8, 8, Paint(0xB7BBC0))
        }
    }

    /// The corner of the house, where the car goes behind it.
    private func paintCorner(_ painter: Painter) {
        painter.rectangle(0, 0, 200, 92, look.house)
        for y in [36.4, 74.4] { painter.rectangle(0, y, 200, 2.4, look.house.darker(0.12)) }
        painter.rectangle(0, 0, 16, 92, look.house.lighter(0.5))
        painter.rectangle(16, 0, 4, 92, look.house.darker(0.2))
        painter.rectangle(66, 0, 22, 16, Paint(0x4A4745), radius: 5)
        painter.rectangle(126, 0, 74, 92, Paint(0xFAF7F0))
        painter.rectangle(142, 0, 58, 92, look.door.paint)
    }

    /// The frame's number, where other houses have theirs.
    private func houseNumber(_ number: Int) -> [Figure] {
        var rest = number
        let digits = (0..<5).reversed().map { place in
            let digit = rest % 10
            rest /= 10
            return Figure(.digit, Box(1_067 + Double(place) * 29, 105, 22, 38), number: digit)
        }
        return [Figure(.plate, Box(1_052, 96, 172, 58))] + digits
    }

    private func paintParcel(_ painter: Painter) {
        painter.rectangle(2, 10, 88, 56, Paint(0xC49A68), radius: 3)
        painter.polygon([(2, 12), (14, 1), (84, 1), (90, 12)], Paint(0xDAB684))
        painter.rectangle(39, 1, 14, 65, Paint(0xE9D9B6))
        painter.rectangle(60, 40, 24, 17, Paint(0xF8F6EF))
        painter.rectangle(63, 44, 17, 2.5, Paint(0x55504A))
        painter.rectangle(63, 49, 11, 2.5, Paint(0x55504A))
    }

    private func paintVisitor(_ painter: Painter, _ form: Figure.Form) {
        var painter = painter
        painter.isMirrored = form.isMirrored
        let isRaining = form.name == .visitorWithUmbrella
        let isStanding = form.number == Self.standing
        let swing = isStanding ? 0 : sin(Double(form.number) / 8 * 2 * .pi)
        let coat = look.coat.paint
        painter.ellipse(60, 390, 46, 8, Paint(0x4A443C), opacity: 0.3)
        for sign in [-1.0, 1] {
            let foot = 58 + sign * (10 + swing * 20)
            painter.stroke(56 + sign * 10, 264, foot, 378, width: 24, Paint(0x3C4A63))
            painter.rectangle(foot - 12, 374, 34, 15, Paint(0x3A2D28), radius: 7)
        }
        painter.stroke(38, 156, 32 - swing * 20, 236, width: 19, coat.darker(0.2))
        painter.rectangle(26, 128, 68, 158, coat, radius: 24)
        painter.rectangle(58, 140, 4, 140, coat.darker(0.25))
        for y in [170.0, 204, 238] { painter.ellipse(67, y, 3.5, 3.5, coat.darker(0.4)) }
        // The other arm rings, or holds an umbrella.
        if isRaining {
            painter.stroke(80, 156, 96, 188, width: 19, coat.darker(0.1))
            painter.stroke(96, 190, 96, 36, width: 4, Paint(0x3A3432))
        } else if isStanding {
            painter.stroke(82, 156, 112, 140, width: 19, coat.darker(0.1))
            painter.ellipse(114, 138, 9, 9, Paint(0xE2B594))
        } else {
            painter.stroke(82, 156, 86 + swing * 20, 236, width: 19, coat.darker(0.1))
        }
        painter.rectangle(48, 108, 26, 30, Paint(0xD3A383), radius: 8)
        painter.ellipse(62, 88, 27, 32, Paint(0xE8BD9C))
        painter.ellipse(58, 68, 31, 22, Paint(0x5A3B2A))
        painter.rectangle(28, 66, 16, 38, Paint(0x5A3B2A), radius: 8)
        painter.ellipse(76, 90, 3, 3.5, Paint(0x2B2320))
        painter.stroke(70, 103, 76, 106, width: 2.5, Paint(0xA9604E))
        painter.stroke(76, 106, 83, 102, width: 2.5, Paint(0xA9604E))
        if isRaining {
            painter.polygon([(0, 48), (14, 22), (60, 2), (104, 22), (120, 48)], look.door.paint)
            painter.polygon([(40, 48), (60, 2), (80, 48)], look.door.paint.lighter(0.25))
        }
    }

    private func rain(_ moment: SceneMoment) -> [Figure] {
        (0..<48).map { index in
            let fall = (moment.time * 9 / 10 + index * 197) % 860
            let x = Double((index * 283 + (moment.time * 9 / 10 + index * 197) / 860 * 71) % 1_280)
            return Figure(.drop, Box(x, Double(fall) - 100, 4, 26))
        }
    }
}
