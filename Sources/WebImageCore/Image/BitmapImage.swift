/// ``Image`` under a name that does not clash with the `Image` of a user interface toolkit.
public typealias BitmapImage = Image
