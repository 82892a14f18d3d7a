import Foundation
import FoundationNetworking
import SDWebImageFoundationNetworking
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

// The code below is copied from iOS apps. Only its imports are changed for Linux.

/// Shows a round image of a person.
@MainActor class AvatarPresenter {
    let imageView = UIImageView(frame: CGRect(x: 0, y: 0, width: 48, height: 48))
    var currentURL: URL?

    func setUp() {
        imageView.contentMode = .scaleAspectFill
        imageView.clipsToBounds = true
        imageView.layer.cornerRadius = imageView.intrinsicContentSize.width / 2
        imageView.layer.masksToBounds = true
        imageView.accessibilityLabel = "Portrait"
        imageView.alpha = 0.9
        imageView.isHidden = false
        let transition = SDWebImageTransition.fade
        transition.animationOptions = [.transitionCrossDissolve, .allowUserInteraction]
        imageView.sd_imageTransition = transition
    }

    func show(_ url: URL?, token: String, placeholder: UIImage?) {
        currentURL = url
        let requestModifier = SDWebImageDownloaderRequestModifier { (request: URLRequest) -> URLRequest? in
            var mutableRequest = request
            mutableRequest.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            mutableRequest.timeoutInterval = 10
            return mutableRequest
        }
        imageView.sd_setImage(
            with: url, placeholderImage: placeholder, options: [.retryFailed, .scaleDownLargeImages],
            context: [.downloadRequestModifier: requestModifier], progress: nil
        ) { [weak self] image, error, cacheType, imageURL in
            guard let self = self, imageURL == self.currentURL else { return }
            if let error = error as NSError?, error.domain == SDWebImageErrorDomain { return }
            self.imageView.image = image
        }
    }

    func prepareForReuse() {
        imageView.sd_cancelCurrentImageLoad()
        imageView.image = nil
    }
}

/// Functions that return an image with round corners or with a frame.
enum RoundedImages {
    static func rounded(_ image: UIImage, radius: CGFloat) -> UIImage? {
        let rect = CGRect(origin: .zero, size: image.size)
        UIGraphicsBeginImageContextWithOptions(image.size, false, image.scale)
        defer { UIGraphicsEndImageContext() }
        UIBezierPath(roundedRect: rect, cornerRadius: radius).addClip()
        image.draw(in: rect)
        return UIGraphicsGetImageFromCurrentImageContext()
    }

    static func framed(_ image: UIImage, color: UIColor) -> UIImage? {
        let format = UIGraphicsImageRendererFormat()
        format.scale = 1
        let renderer = UIGraphicsImageRenderer(size: image.size, format: format)
        return renderer.image { context in
            color.setFill()
            context.cgContext.fill(CGRect(origin: .zero, size: image.size))
            image.draw(in: CGRect(origin: .zero, size: image.size).insetBy(dx: 2, dy: 2))
        }
    }
}

@Suite(.timeLimit(minutes: 1)) struct PastedCodeTests {
    @Test func drawingCodeOfIOSDrawsTheSameImages() throws {
        let image = try TestImages.solid(width: 20, height: 20, blue: 255, green: 255, red: 255)
        let round = try #require(RoundedImages.rounded(image, radius: 10))
        #expect(round.size == CGSize(width: 20, height: 20))
        #expect(round.sd_color(at: CGPoint(x: 0, y: 0))?.alpha == 0)
        #expect(round.sd_color(at: CGPoint(x: 10, y: 10))?.alpha == 1)
        let framed = try #require(RoundedImages.framed(image, color: .red))
        let (edge, middle) = (framed.sd_color(at: .zero), framed.sd_color(at: CGPoint(x: 10, y: 10)))
        #expect(edge?.red == 1 && edge?.green == 0 && middle?.green == 1)
    }
}
