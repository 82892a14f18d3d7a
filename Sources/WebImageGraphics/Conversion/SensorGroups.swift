import CWebImagePixelLoops
package import WebImageCore

/// The half-sized picture of a camera's sensor. Each pixel is a group of two by two samples, of which each has a colour of its
/// own.
package struct SensorGroups {
    /// Four samples for each group, without padding.
    package let samples: UnsafeMutablePointer<UInt16>
    /// The columns and rows of groups.
    package let size: PixelSize
    /// The size of the sensor. The last group of an odd side is half of one.
    package let sensor: PixelSize

    package init(samples: UnsafeMutablePointer<UInt16>, size: PixelSize, sensor: PixelSize) {
        (self.samples, self.size, self.sensor) = (samples, size, sensor)
    }

    /// Adds the samples of a colour that half groups lack, by those beside them.
    ///
    /// - Parameters:
    ///   - channel: The number of the colour in each pixel, 0 to 3.
    ///   - place: Where its sample is in each group: 0 and 1 above, 2 and 3 below.
    ///   - isCentred: Whether all samples of the colour are moved to the middles of their groups, a quarter of a pixel.
    /// - Returns: False if memory is exhausted.
    package func complete(channel: Int, at place: Int, isCentred: Bool) -> Bool {
        let (right, low) = (place % 2, place / 2)
        let sample = webimage_quad_sample(
            channel: channel, is_right: Int32(right), is_low: Int32(low), is_in_place: isCentred ? 0 : 1,
            width: (sensor.width + 1 - right) / 2, rows: (sensor.height + 1 - low) / 2)
        return webimage_centre_samples(samples, size.width, size.height, sample) == 0
    }
}
