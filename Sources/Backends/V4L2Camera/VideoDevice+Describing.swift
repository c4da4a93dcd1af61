import CV4L2
import Glibc
import Services
import VideoSystem

extension VideoDevice {
    /// Asks the driver what it is, what it delivers and what can be changed.
    func describe(_ path: String) throws(SystemError) -> VideoDeviceDescription {
        var capability = v4l2_capability()
        try call(CV4L2_QUERYCAP, &capability)
        let flags =
            capability.capabilities & CV4L2_CAP_DEVICE_CAPS != 0
            ? capability.device_caps : capability.capabilities
        let wanted = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
        let isCamera = flags & wanted == wanted
        return VideoDeviceDescription(
            path: path,
            card: text(of: capability.card),
            driver: text(of: capability.driver),
            bus: text(of: capability.bus_info),
            isCamera: isCamera,
            formats: isCamera ? try formats() : [],
            controls: isCamera ? controls() : []
        )
    }

    private func formats() throws(SystemError) -> [VideoDeviceDescription.Format] {
        let entries = try all(CV4L2_ENUM_FMT, limit: 256) { index in
            var entry = v4l2_fmtdesc()
            (entry.index, entry.type) = (index, V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
            return entry
        }
        var formats: [VideoDeviceDescription.Format] = []
        for entry in entries {
            let format = VideoFormat(code: entry.pixelformat)
            // The sizes of formats that are not captured would take hundreds of calls.
            let sizes = VideoFormat.captured.contains(format) ? try self.sizes(of: format) : []
            formats.append(.init(format: format, name: text(of: entry.description), sizes: sizes))
        }
        return formats
    }

    private func sizes(of format: VideoFormat) throws(SystemError) -> [VideoDeviceDescription.Size] {
        let entries = try all(CV4L2_ENUM_FRAMESIZES, limit: 256) { index in
            var entry = v4l2_frmsizeenum()
            (entry.index, entry.pixel_format) = (index, format.code)
            return entry
        }
        var sizes: [PixelSize] = []
        for entry in entries {
            if entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                sizes.append(PixelSize(width: Int(entry.discrete.width), height: Int(entry.discrete.height)))
            } else {
                sizes += Self.usualSizes(in: entry.stepwise)
            }
        }
        var described: [VideoDeviceDescription.Size] = []
        for size in sizes where size.isPossible {
            let (rates, range) = try rates(of: format, at: size)
            described.append(.init(size: size, rates: rates, rateRange: range))
        }
        return described
    }

    /// The usual sizes that a range has, and its ends.
    private static func usualSizes(in range: v4l2_frmsize_stepwise) -> [PixelSize] {
        let smallest = PixelSize(width: Int(range.min_width), height: Int(range.min_height))
        let largest = PixelSize(width: Int(range.max_width), height: Int(range.max_height))
        let (stepWide, stepHigh) = (max(1, Int(range.step_width)), max(1, Int(range.step_height)))
        let usual = [(320, 240), (640, 360), (640, 480), (800, 600), (1280, 720), (1920, 1080), (3840, 2160)]
            .map(PixelSize.init(width:height:))
        let inside = usual.filter { size in
            size.width > smallest.width && size.width < largest.width && size.height > smallest.height
                && size.height < largest.height
                && (size.width - smallest.width).isMultiple(of: stepWide)
                && (size.height - smallest.height).isMultiple(of: stepHigh)
        }
        return smallest == largest ? [smallest] : [smallest] + inside + [largest]
    }

    private func rates(of format: VideoFormat, at size: PixelSize) throws(SystemError)
        -> (rates: [Double], range: ClosedRange<Double>?)
    {
        let entries = try all(CV4L2_ENUM_FRAMEINTERVALS, limit: 256) { index in
            var entry = v4l2_frmivalenum()
            (entry.index, entry.pixel_format) = (index, format.code)
            (entry.width, entry.height) = (UInt32(size.width), UInt32(size.height))
            return entry
        }
        let periods = entries.flatMap { entry in
            entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
                ? [entry.discrete] : [entry.stepwise.min, entry.stepwise.max]
        }
        // What no camera has is a driver's mistake, such as the 10,000,000 of an interval without a length.
        let rates = Set(periods.compactMap(\.rate).filter { (0.01...1_000).contains($0) }).sorted(by: >)
        let isRange = entries.contains { $0.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue }
        guard isRange, let fastest = rates.first, let slowest = rates.last else { return (rates, nil) }
        return (rates, slowest...fastest)
    }

    /// The controls that can be changed now, of the kinds that have a number.
    func controls() -> [VideoControl] {
        var controls: [VideoControl] = []
        var last: UInt32 = 0
        // A driver that names the same one again and again comes to an end too.
        for _ in 0..<256 {
            var query = v4l2_queryctrl()
            query.id = last | CV4L2_NEXT_CONTROL
            guard (try? call(CV4L2_QUERYCTRL, &query)) != nil, query.id > last else { break }
            last = query.id
            let unusable = UInt32(
                V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_INACTIVE
                    | V4L2_CTRL_FLAG_WRITE_ONLY
            )
            let kinds = [
                V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BOOLEAN, V4L2_CTRL_TYPE_MENU,
                V4L2_CTRL_TYPE_INTEGER_MENU,
            ].map(\.rawValue)
            guard query.flags & unusable == 0, kinds.contains(query.type), query.minimum <= query.maximum
            else { continue }
            controls.append(
                VideoControl(
                    id: query.id,
                    name: text(of: query.name),
                    range: Int(query.minimum)...Int(query.maximum),
                    step: max(1, Int(query.step)),
                    usual: Int(query.default_value),
                    value: value(ofControl: query.id)
                )
            )
        }
        return controls
    }

    private func value(ofControl id: UInt32) -> Int? {
        var control = v4l2_control()
        control.id = id
        return (try? call(CV4L2_G_CTRL, &control)).map { Int(control.value) }
    }

    /// Changes a control; the value must fit into 32 bits.
    func set(_ control: VideoControl, to value: Int) throws(SystemError) {
        var change = v4l2_control()
        (change.id, change.value) = (control.id, Int32(clamping: value))
        try call(CV4L2_S_CTRL, &change)
    }
}

extension PixelSize {
    /// Whether a camera can have it: JPEG files end at 65,500 pixels a side.
    var isPossible: Bool { (1...65_500).contains(width) && (1...65_500).contains(height) }
}

extension v4l2_fract {
    /// How often such a period is in a second.
    var rate: Double? { numerator > 0 && denominator > 0 ? Double(denominator) / Double(numerator) : nil }
}
