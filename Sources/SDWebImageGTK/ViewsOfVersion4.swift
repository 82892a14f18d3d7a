public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    /// The appearance of a spinner, as `UIActivityIndicatorView.Style`.
    public enum Style: Sendable {
        /// Grey.
        case gray
        /// White.
        case white
        /// Large and white.
        case whiteLarge
        /// Medium, in the theme's colour.
        case medium
        /// Large, in the theme's colour.
        case large

        /// The name of ``gray`` in documents of SDWebImage 4.
        @available(*, deprecated, renamed: "gray") public static var Gray: Style { .gray }

        @MainActor var indicator: SDWebImageActivityIndicator {
            switch self {
            case .gray: .gray
            case .white: .white
            case .whiteLarge: .whiteLarge
            case .medium: .medium
            case .large: .large
            }
        }
    }
}

extension WidgetView {
    /// Determines whether the view shows a spinner while it loads an image, as in SDWebImage 4.
    @available(*, deprecated, message: "Set sd_imageIndicator")
    public func sd_setShowActivityIndicatorView(_ show: Bool) {
        sd_imageIndicator = show ? SDWebImageActivityIndicator.gray : nil
    }

    /// Sets the spinner's appearance, as in SDWebImage 4. Has no effect if the view has no indicator, so call
    /// `sd_setShowActivityIndicatorView(true)` first.
    @available(*, deprecated, message: "Set sd_imageIndicator")
    public func sd_setIndicatorStyle(_ style: UIActivityIndicatorView.Style) {
        if sd_imageIndicator != nil { sd_imageIndicator = style.indicator }
    }
}

extension ImageView {
    /// The same method with the argument label `withURL`. A document of SDWebImage 5 uses this label.
    @available(
        *, deprecated, renamed: "sd_setImage(with:placeholderImage:options:context:completed:)"
    )
    @preconcurrency public func sd_setImage(
        withURL url: URL?, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        sd_setImage(
            with: url, placeholderImage: placeholder, options: options, context: context,
            completed: completedBlock)
    }
}
