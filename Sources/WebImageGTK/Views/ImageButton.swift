/// ``Button`` under a name that does not clash with the `Button` of another toolkit.
public typealias ImageButton = Button
