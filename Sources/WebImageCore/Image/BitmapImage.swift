/// Another name for ``Image``, for programs whose user interface toolkit also has a type `Image`.
public typealias BitmapImage = Image
