// snippet: avif
import WebImage
import WebImageAVIF

/// Call this once, when the program starts.
func addCoders() {
    ImageCodersManager.shared.addCoder(ImageAVIFCoder.shared)
}
// end
