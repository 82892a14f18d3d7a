public import Foundation
public import SDWebImage
public import WebImageGTK

/// Where the names of version 4's spinners are.
public enum UIActivityIndicatorView {
    /// How a spinner looks.
    public enum Style: Sendable {
        /// Grey.
        case gray
        /// White.
        case white
        /// Large and white.
        case whiteLarge
        /// In the theme's colour.
        case medium
        /// Large, in the theme's colour.
        case large

        /// As documents of version 4 write it.
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
    /// Version 4's way to show a spinner while the view waits.
    @available(*, deprecated, message: "Set sd_imageIndicator")
    public func sd_setShowActivityIndicatorView(_ show: Bool) {
        sd_imageIndicator = show ? SDWebImageActivityIndicator.gray : nil
    }

    /// Version 4's way to choose a spinner's look; after `sd_setShowActivityIndicatorView(true)`.
    @available(*, deprecated, message: "Set sd_imageIndicator")
    public func sd_setIndicatorStyle(_ style: UIActivityIndicatorView.Style) {
        if sd_imageIndicator != nil { sd_imageIndicator = style.indicator }
    }
}

extension ImageView {
    /// As a document of version 5 writes it.
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
