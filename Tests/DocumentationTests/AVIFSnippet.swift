// snippet: avif
import WebImage
import WebImageAVIF

/// Once, when the program starts.
func addCoders() {
    ImageCodersManager.shared.addCoder(ImageAVIFCoder.shared)
}
// end
